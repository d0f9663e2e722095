from pathlib import Path

import pytest
from mcp import Client

from server.matching.service import Service, open_service
from server.protocol.server import build_server
from server.toolset.registry import TOOLS
from tests.server.calls import MODES
from tests.toy import AGENT_FILES, ToyEncoder, write_data

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("mode", MODES)]


async def test_the_tools_are_listed_in_their_order(service: Service, mode: str) -> None:
    async with Client(build_server(service), mode=mode) as client:
        listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == [tool.name for tool in TOOLS if tool.family == "core"]


async def test_both_eras_are_served(service: Service, mode: str) -> None:
    async with Client(build_server(service), mode=mode) as client:
        assert client.protocol_version == {"legacy": "2025-11-25", "auto": "2026-07-28"}[mode]


async def test_the_server_names_itself_and_says_how_to_use_it(service: Service, mode: str) -> None:
    async with Client(build_server(service), mode=mode) as client:
        assert client.server_info is not None
        assert client.server_info.name == "agent-capabilities"
        assert "decision=resolved" in (client.instructions or "")
        assert "(claude-code, gemini-cli)" in (client.instructions or "")


async def test_of_many_agents_it_names_only_some(tmp_path: Path, mode: str) -> None:
    files = {f"agent-{position:02}": AGENT_FILES["claude-code"] for position in range(13)}
    service = open_service(write_data(tmp_path / "many", files), lambda threads: ToyEncoder())
    async with Client(build_server(service), mode=mode) as client:
        assert "agent-08, agent-09, 3 more)" in (client.instructions or "")


async def test_unknown_arguments_are_tolerated(service: Service, mode: str) -> None:
    async with Client(build_server(service), mode=mode) as client:
        result = await client.call_tool("list_capabilities", {"agent": "gemini", "unheardOf": 1})
    assert not result.is_error


async def test_a_server_of_one_client_answers_as_one_of_many(service: Service, mode: str) -> None:
    question = {"agent": "claude-code", "capability": "undo"}
    answers = []
    for one_client in (True, False):
        service.matchers.load()
        async with Client(build_server(service, one_client), mode=mode) as client:
            answers.append((await client.call_tool("lookup_capability", question)).structured_content)
    assert answers[0] == answers[1]
    assert answers[0]
