"""The service that answers now, and what a request sees when another takes its place."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import httpx2
import numpy as np
import numpy.typing as npt
import pytest
from mcp import Client
from mcp_types import TextResourceContents
from starlette.applications import Starlette

from server.http.app import health_routes
from server.matching.label_service import LiveService
from server.matching.service import Service, open_service
from server.protocol.server import build_server
from server.reloads import Reloads
from tests.server.calls import MODES
from tests.toy import AGENT_FILES, ToyEncoder, entry, write_data

pytestmark = [pytest.mark.anyio]
OLD, NEW = "Checkpoints of this agent", "what it says now"
PHRASE = "rewind and restore"
URI = f"capabilities://claude-code/{PHRASE.replace(' ', '%20')}"


class Held(ToyEncoder):
    """Holds the phrase until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.go = threading.Event(), threading.Event()

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if PHRASE in texts:
            self.asked.set()
            assert self.go.wait(60)
        return super().encode(texts)


def service_of(folder: Path, encoder: ToyEncoder, **claude: Any) -> Service:
    """Return the toy catalog, in which Claude Code has other facts."""
    facts = [entry("Checkpoints", "agent-orchestration") | claude]
    agents = AGENT_FILES | {"claude-code": AGENT_FILES["claude-code"] | {"capabilities": facts}}
    service = open_service(write_data(folder, agents), lambda threads: encoder)
    service.matchers.load()
    return service


@pytest.fixture
def held() -> Iterator[Held]:
    held = Held()
    yield held
    held.go.set()


@pytest.fixture
def live(tmp_path: Path, held: Held) -> LiveService[Service]:
    return LiveService(service_of(tmp_path / "old", held))


@pytest.fixture
def newer(tmp_path: Path) -> Service:
    return service_of(tmp_path / "new", ToyEncoder(), description=NEW)


async def looked_up(client: Client) -> str:
    result = await client.call_tool("lookup_capability", {"agent": "claude-code", "capability": PHRASE})
    assert result.structured_content is not None
    text: str = result.structured_content["capability"]["description"]
    return text


async def resource_read(client: Client) -> str:
    (contents,) = (await client.read_resource(URI)).contents
    assert isinstance(contents, TextResourceContents)
    return contents.text


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("ask", [looked_up, resource_read])
async def test_a_request_ends_with_the_catalog_it_began_with(
    live: LiveService[Service], newer: Service, held: Held, mode: str, ask: Any
) -> None:
    answers = []
    async with Client(build_server(live), mode=mode) as client, anyio.create_task_group() as group:

        async def first() -> None:
            answers.append(await ask(client))

        group.start_soon(first)
        assert await anyio.to_thread.run_sync(held.asked.wait, 60)
        live.current = newer
        later = await ask(client)
        assert answers == []
        held.go.set()
    assert NEW in later
    assert OLD in answers[0]


async def test_a_session_goes_on_with_the_new_catalog(live: LiveService[Service], newer: Service, held: Held) -> None:
    held.go.set()
    async with Client(build_server(live), mode="legacy") as client:
        assert await looked_up(client) == OLD
        live.current = newer
        assert await looked_up(client) == NEW


async def test_health_is_told_of_the_catalog_that_answers(degraded_service: Service, service: Service) -> None:
    live = LiveService(degraded_service)
    transport = httpx2.ASGITransport(app=Starlette(routes=health_routes(live, Reloads())))
    async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
        assert (await client.get("/readyz")).status_code == 503
        live.current = service
        assert (await client.get("/readyz")).json() == {"status": "ok", "capabilities": 3}


def test_a_service_that_is_live_stays_the_same_and_another_becomes_so(
    live: LiveService[Service], newer: Service
) -> None:
    assert LiveService.of(live) is live
    assert LiveService.of(newer).current is newer
