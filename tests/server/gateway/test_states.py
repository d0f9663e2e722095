"""Messages to callers about servers and tools that cannot be called now."""

from dataclasses import replace
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from embeddings.errors import ModelError
from server.gateway.upstreams.states import UpstreamState, now
from tests.server.calls import text_of
from tests.server.gateway.made_upstreams import LIMITS, Made, Running, files, gateway_of, git, running
from tests.server.gateway.upstreams.running import until
from tests.server.toolset.starts import answer, rules
from tests.toy import ToyEncoder

pytestmark = [pytest.mark.anyio]


async def refused(client: Client, name: str) -> Any:
    with pytest.raises(MCPError) as caught:
        await client.call_tool("call_tool", {"name": name})
    return caught.value.error


async def broken(gateway: Running, name: str = "git") -> None:
    """Let a server that was ready be down from now on."""
    gateway.made[name].fault = "down"
    upstream = gateway.gateway._pool.upstreams[name]
    connection = upstream._connection
    assert connection is not None
    connection.fail("down", "it ended with status 3")
    await until(lambda: upstream.state.kind == "down")
    await gateway.taken()


async def test_a_tool_that_is_ready_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(monkeypatch, {"git": git()}) as gateway, gateway.client() as client:
        result = await client.call_tool(
            "call_tool", {"name": "git__push_commits", "arguments": {"branch": "main", "count": 2}}
        )
    assert text_of(result) == "push_commits ran with {'branch': 'main', 'count': 2}"


async def test_a_tool_that_is_not_permitted_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    start = {"allowlist": rules(the_caller=["files"])}
    async with (
        running(monkeypatch, {"git": git(), "files": files()}, start=start) as gateway,
        gateway.client() as client,
    ):
        error = await refused(client, "git__status")
    assert error.data["reason"] == "not_permitted"
    assert error.data["permitted_families"] == ["gateway", "files"]
    assert gateway.made["git"].calls == []


async def test_a_tool_of_a_server_that_never_connected_is_told_with_its_state(monkeypatch: pytest.MonkeyPatch) -> None:
    cases: list[tuple[str, str, str | None]] = [
        ("silent", "connecting", None),
        ("down", "down", "no such program"),
        ("unauthorized", "unauthorized", 'no such program; run "agent-capabilities gateway login far"'),
    ]
    for fault, state, why in cases:
        made = {"git": git(), "far": Made(fault=fault)}
        async with running(monkeypatch, made) as gateway, gateway.client() as client:
            error = await refused(client, "far__anything")
        assert (error.data["reason"], error.data["server"], error.data["state"]) == (
            "server_unavailable",
            "far",
            state,
        ), fault
        assert error.data["since"].startswith("20"), fault
        assert error.data.get("why") == why, fault
        assert f"'far' is {state} since {error.data['since']}" in error.message, fault


async def test_the_log_says_why_a_server_is_down(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(monkeypatch, {"far": Made(fault="down")}):
        assert "server 'far' is down: no such program" in caplog.text


async def test_an_unknown_tool_is_told_with_the_nearest_names(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, near in [
        ("git__statuss", "git__status"),
        ("pushcommits", "git__push_commits"),
        ("see it", "files__read"),
    ]:
        async with running(monkeypatch, {"git": git(), "files": files()}) as gateway, gateway.client() as client:
            error = await refused(client, name)
        assert error.data["reason"] == "unknown_tool", name
        assert any(each.startswith(near) for each in error.data["nearest"]), name


async def test_what_is_not_found_is_told_with_the_servers_that_are_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"git": git(), "far": Made(fault="down"), "slow": Made(fault="silent")}
    async with running(monkeypatch, made) as gateway, gateway.client() as client:
        error = await refused(client, "something")
    assert error.data["not_ready"] == ["far", "slow"]
    made = {"git": git(), "far": Made(fault="down"), "slow": Made(fault="silent")}
    async with running(monkeypatch, made) as gateway, gateway.client() as client:
        hint = (await answer(client, "search_tools", {"need": "what does it cost"}))["hint"]
    assert "far is down since" in hint
    assert "slow is connecting since" in hint


async def test_while_a_server_starts_no_search_is_final_but_for_a_tool_that_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = {"git": git(), "slow": Made(fault="silent"), "far": Made(fault="down")}
    starting = replace(LIMITS, starting=60.0)
    async with running(monkeypatch, made, limits=starting) as gateway, gateway.client() as client:
        for need in ("what does it cost", "rewind"):
            found = await answer(client, "search_tools", {"need": need})
            assert found["decision"] == "ambiguous", need
            assert {each["server"] for each in found["missing"]} == {"slow", "far"}, need
            assert "slow is still starting" in found["hint"], need
        assert (await answer(client, "search_tools", {"need": "git__status"}))["decision"] == "resolved"


async def test_once_its_time_is_up_a_server_that_never_starts_is_named_and_keeps_no_search_open(
    monkeypatch: pytest.MonkeyPatch, whole_background: None
) -> None:
    made = {"git": git(), "slow": Made(fault="silent")}
    starting = replace(LIMITS, starting=0.5)
    async with running(monkeypatch, made, limits=starting) as gateway, gateway.client() as client:
        await answer(client, "search_tools", {"need": "rewind"})
        await until(lambda: not gateway.gateway.tools._awaits)
        await gateway.taken()
        decisions = {}
        for need in ("see a picture", "rewind"):
            found = await answer(client, "search_tools", {"need": need})
            decisions[need] = found["decision"], [tool["name"] for tool in found["tools"]]
            (missing,) = found["missing"]
            assert (missing["server"], missing["reason"][:16]) == ("slow", "connecting since"), need
    assert decisions == {"see a picture": ("no_match", []), "rewind": ("resolved", ["git__status"])}


async def test_a_search_waits_for_a_server_that_is_about_to_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    patient = replace(LIMITS, starting=60.0, patience_of_search=60.0)
    gateway = gateway_of(monkeypatch, {"git": git(), "files": files()}, limits=patient)
    async with gateway.gateway.running(), gateway.client() as client:
        found = await answer(client, "search_tools", {"need": "rewind"})
    assert (found["decision"], found["tools"][0]["name"]) == ("resolved", "git__status")
    assert "missing" not in found


async def test_tools_of_a_server_that_went_down_stay_findable_and_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(monkeypatch, {"git": git(), "files": files()}) as gateway, gateway.client() as client:
        await broken(gateway)
        (found,) = (await answer(client, "search_tools", {"need": "rewind"}))["tools"]
        assert found["name"] == "git__status"
        assert found["status"].startswith("down since 20")
        error = await refused(client, "git__status")
        (other,) = (await answer(client, "search_tools", {"need": "read_image"}))["tools"]
    assert (error.data["reason"], error.data["state"]) == ("server_unavailable", "down")
    assert "status" not in other


async def test_a_server_that_went_down_is_not_ready_in_the_manifest(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(monkeypatch, {"git": git(), "files": files()}) as gateway, gateway.client() as client:
        await broken(gateway)
        document = await answer(client, "capabilities", {})
    families = {family["name"]: family for family in document["families"]}
    assert families["git"]["not_ready"]["state"] == "down"
    assert "not_ready" not in families["files"]


async def test_the_manifest_says_the_same_of_the_tools_throughout(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(monkeypatch, {"git": git(), "files": files()}) as gateway, gateway.client() as client:
        document = await answer(client, "capabilities", {})
        description = {tool.name: tool.description for tool in (await client.list_tools()).tools}["capabilities"]
    assert document["to_describe_to_user"] == "I can use 4 tools of 2 servers (files: 2, git: 2)."
    assert document["summary"].startswith("4 tools of 2 servers (files: 2, git: 2). Find the one for a need")
    assert all(tool["callable_now"] for tool in document["tools"])
    assert "coding agents" not in (description or "")


async def test_a_server_that_recovers_is_called_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(monkeypatch, {"git": git()}) as gateway, gateway.client() as client:
        await broken(gateway)
        gateway.made["git"].fault = ""
        await until(lambda: gateway.gateway._pool.upstreams["git"].state.kind == "ready")
        await gateway.taken()
        assert not (await client.call_tool("call_tool", {"name": "status"})).is_error


async def test_without_a_model_the_answer_says_that_it_is_degraded(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoModel(ToyEncoder):
        def encode(self, texts: Any) -> Any:
            raise ModelError("no model here")

    async with running(monkeypatch, {"git": git()}, encoder=NoModel()) as gateway, gateway.client() as client:
        by_meaning = await answer(client, "search_tools", {"need": "rewind"})
        by_name = await answer(client, "search_tools", {"need": "please push_commits"})
        assert gateway.gateway.degraded
    assert by_meaning["degraded"] is True
    assert (by_name["degraded"], by_name["decision"]) == (True, "resolved")


async def test_health_counts_servers_and_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(monkeypatch, {"git": git(), "far": Made(fault="down")}) as gateway:
        assert gateway.gateway.status == {"servers": 2, "ready": 1, "tools": 2}
        assert not gateway.gateway.degraded


async def test_a_server_that_becomes_ready_while_tools_are_taken_up_still_counts_as_one_that_connects(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with running(monkeypatch, {"git": git()}) as gateway:
        await gateway.taken()
        upstream, tools = gateway.gateway._pool.upstreams["git"], gateway.gateway.tools
        upstream.state = UpstreamState("connecting", now())
        take = tools._known.take

        def taken_before_it_is_ready() -> Any:
            found = take()
            upstream.state = UpstreamState("ready", now())
            return found

        monkeypatch.setattr(tools._known, "take", taken_before_it_is_ready)
        tools._take()
        assert [outage.kind for outage in tools.offer().outages.values()] == ["connecting"]
