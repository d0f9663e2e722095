import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import anyio
import httpx2
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, METHOD_NOT_FOUND

from tests.server.calls import MODES
from tests.server.http_server import http_server
from tests.server.toolset.http_clients import Heard, client_of
from tests.server.toolset.starts import CALLS, answer, manifest, names
from tests.server.toolset.ways import ways

pytestmark = [pytest.mark.processes, pytest.mark.anyio]

RULES = {"team-*": ["full"], "analyst": ["core", "decide"], "reader": ["core"]}
PERMITTED = {"team-red": 4 + 2 + 2 + 1, "analyst": 4 + 2, "reader": 4, "stranger": 4}
"""Tools apart from those that load others; no rule is for the stranger."""
TOKENS = {name: f"{name}-has-this-secret-token" for name in PERMITTED}

each_mode = pytest.mark.parametrize("mode", MODES)


class Served(NamedTuple):
    """A server, and whether it keeps legacy sessions."""

    address: str
    sessions: bool


@pytest.fixture(scope="module", params=[False, True], ids=["without sessions", "with sessions"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("http")
    tokens, allowlist = folder / "tokens.json", folder / "allowlist.json"
    tokens.write_text(json.dumps(TOKENS), encoding="utf-8")
    allowlist.write_text(json.dumps(RULES), encoding="utf-8")
    options = ["--dynamic-tools", "--tokens", str(tokens), "--allowlist", str(allowlist)]
    with http_server(folder, *options, *(["--sessions"] if request.param else [])) as address:
        yield Served(address, request.param)


@each_mode
@pytest.mark.parametrize("name", PERMITTED)
async def test_the_name_of_the_token_decides_and_not_that_of_the_client(served: Served, mode: str, name: str) -> None:
    async with client_of(served.address, mode, TOKENS[name], calling_itself="team-red") as client:
        described = await manifest(client)
        assert len(described["tools"]) == PERMITTED[name] + 4
        forbidden = {tool for tool in CALLS if tool not in [tool["name"] for tool in described["tools"]]}
        for tool in forbidden:
            with pytest.raises(MCPError) as caught:
                await client.call_tool("call_tool", {"name": tool, "arguments": CALLS[tool]})
            assert (caught.value.error.code, caught.value.error.data["reason"]) == (INVALID_PARAMS, "not_permitted")
            assert caught.value.error.data["permitted_families"] == described["agent_permitted_families"]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer not-one-of-the-tokens-of-the-file"},
        {"Authorization": f"Basic {TOKENS['reader']}"},
    ],
    ids=["missing", "wrong", "of another scheme"],
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_nobody_comes_in_without_a_token(served: Served, method: str, headers: dict[str, str]) -> None:
    async with httpx2.AsyncClient(timeout=60) as http:
        response = await http.request(
            method, served.address, headers=headers, json={"jsonrpc": "2.0", "method": "ping"}
        )
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"].startswith("Bearer")


@each_mode
async def test_a_list_changes_only_in_a_session_and_the_tools_work_either_way(served: Served, mode: str) -> None:
    changes = served.sessions and mode == "legacy"
    async with (
        client_of(served.address, mode, TOKENS["team-red"]) as client,
        client_of(served.address, mode, TOKENS["team-red"]) as other,
    ):
        assert client.server_capabilities.tools
        assert bool(client.server_capabilities.tools.list_changed) is changes
        before = await names(client)
        loaded = await answer(client, "load_family", {"family": "match"})
        assert (loaded["callBy"], "listChanged" in loaded) == ("name" if changes else "call_tool", changes)
        assert ("match_capability" in await names(client)) is changes
        assert await names(other) == before
        assert await answer(other, "call_tool", {"name": "match_capability", "arguments": {"phrase": "undo"}})
        if changes:
            await answer(client, "match_capability")


@each_mode
async def test_a_tool_that_is_not_loaded_is_told_with_the_ways_that_work_here(served: Served, mode: str) -> None:
    async with client_of(served.address, mode, TOKENS["analyst"]) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("feature_parity", {})
    error = caught.value.error
    assert (error.code, error.data["reason"]) == (METHOD_NOT_FOUND, "not_loaded")
    load = ["load_family"] if served.sessions and mode == "legacy" else []
    assert list(ways(error.data["recovery"])) == [*load, "call_tool", "restart"]


@pytest.mark.parametrize("served", [True], indirect=True)
async def test_a_change_is_heard_in_the_session_that_made_it_alone(served: Served) -> None:
    first, second = Heard(), Heard()
    token = TOKENS["team-red"]
    async with (
        client_of(served.address, "legacy", token, heard=first) as loading,
        client_of(served.address, "legacy", token, heard=second) as other,
    ):
        with anyio.fail_after(60):
            await first.opened.wait()
            await second.opened.wait()
            await answer(loading, "load_family", {"family": "decide"})
            await first.changed.wait()
            await answer(other, "load_family", {"family": "match"})
            await second.changed.wait()
    assert (first.changes, second.changes) == (1, 1)


@pytest.mark.parametrize("served", [True], indirect=True)
async def test_a_session_is_no_use_with_another_token(served: Served) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tester", "version": "1"}}
    accept = {"Accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(headers=accept, timeout=60) as http:

        async def sent(name: str, method: str, session: dict[str, str], **params: Any) -> httpx2.Response:
            headers = session | {"Authorization": f"Bearer {TOKENS[name]}"}
            message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            return await http.post(served.address, headers=headers, json=message)

        session = {"Mcp-Session-Id": (await sent("team-red", "initialize", {}, **hello)).headers["mcp-session-id"]}
        assert (await sent("team-red", "tools/list", session)).status_code == 200
        assert (await sent("reader", "tools/list", session)).status_code == 404
