"""A gateway whose tools are kept in a store, as its clients and supervisors see it."""

from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from starlette.applications import Starlette

from embeddings.engines.file_store import FileStore
from embeddings.errors import StoreAwayError
from server.gateway.gateway import health_routes
from tests.server.gateway.made_upstreams import Made, Running, running
from tests.server.gateway.tool_catalog.tools import tool
from tests.server.gateway.upstreams.running import until
from tests.server.toolset.starts import answer

pytestmark = [pytest.mark.anyio]


def files() -> dict[str, Made]:
    return {
        "files": Made([tool("undo_edit", "Go back to an earlier file."), tool("connect", "Plug in outside tools.")])
    }


async def search(gateway: Running, need: str) -> dict[str, Any]:
    async with gateway.client() as client:
        return await answer(client, "search_tools", {"need": need})


async def ready(gateway: Running) -> httpx2.Response:
    app = Starlette(routes=health_routes(gateway.gateway))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://gateway") as client:
        return await client.get("/readyz")


async def test_a_second_gateway_finds_the_tools_that_the_first_has_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ["tools.labels", "tools.npz"]:
        monkeypatch.setattr("server.gateway.tool_catalog.tool_texts.TextCache._files", lambda self: [])
        for first in (True, False):
            async with running(monkeypatch, files(), store=str(tmp_path / name)) as gateway:
                found = await search(gateway, "rewind")
                assert bool(gateway.gateway._index.embedded) is first, name
            assert [each["name"] for each in found["tools"]] == ["files__undo_edit"], name
            assert "degraded" not in found, name


async def test_a_changed_tool_is_found_by_what_it_says_now(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = files()
    async with running(monkeypatch, made, store=str(tmp_path / "tools.labels")) as gateway:
        await made["files"].change(tool("undo_edit", "See a picture."), tool("zap", "Rewind."))
        await until(lambda: "files__zap" in {each.name for each in gateway.gateway._index.tools})
        await gateway.taken()
        found = [(await search(gateway, need))["tools"][0]["name"] for need in ("see", "rewind")]
    assert found == ["files__undo_edit", "files__zap"]


async def test_a_store_that_is_away_is_told_by_searches_and_by_readyz(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("embeddings.store_matcher.ASKED_EVERY", 0.0)

    def away(_: FileStore) -> str:
        raise StoreAwayError("the engine is away; it must answer; start it")

    async with running(monkeypatch, files(), store=str(tmp_path / "tools.labels")) as gateway:
        assert (await ready(gateway)).json()["status"] == "ok"
        monkeypatch.setattr(FileStore, "revision", away)
        found = await search(gateway, "an earlier file")
        response = await ready(gateway)
    assert (found["degraded"], found["tools"][0]["name"]) == (True, "files__undo_edit")
    assert (response.status_code, response.json()["status"], response.json()["store"]) == (503, "degraded", "away")


async def test_a_search_with_a_broken_store_is_answered_by_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "tools.labels"
    monkeypatch.setattr("embeddings.store_matcher.ASKED_EVERY", 0.0)
    async with running(monkeypatch, files(), store=str(file)) as gateway:
        await anyio.Path(file).write_bytes(b"nothing of the kind")
        found = await search(gateway, "an earlier file")
    assert (found["degraded"], found["tools"][0]["name"]) == (True, "files__undo_edit")
