"""`search_tools`: what it finds, and how much of it fits into an answer."""

import json
from typing import Any

import pytest
from mcp import Client

from server.gateway.search_tools import CUT, ROOM
from server.matching.label_service import LONGEST_PHRASE
from tests.server.gateway.made_upstreams import WITH_BRANCH, Made, files, git, running
from tests.server.gateway.tool_catalog.tools import tool
from tests.server.toolset.starts import answer

pytestmark = [pytest.mark.anyio]
LONG = {
    "type": "object",
    "properties": {f"field_{number}": {"type": "string", "description": "x" * 300} for number in range(12)},
}
HUGE = {"type": "object", "properties": {f"field_{number}": {"enum": ["x" * 300]} for number in range(90)}}


async def search(client: Client, need: str, **more: Any) -> dict[str, Any]:
    return await answer(client, "search_tools", {"need": need, **more})


def found(answered: dict[str, Any]) -> list[str]:
    return [each["name"] for each in answered["tools"]]


async def asked(monkeypatch: pytest.MonkeyPatch, need: str, made: dict[str, Made] | None = None) -> dict[str, Any]:
    served = {"git": git(), "files": files()} if made is None else made
    async with running(monkeypatch, served) as gateway, gateway.client() as client:
        return await search(client, need)


def many(count: int, schema: Any = None, description: str = "see a picture") -> Made:
    more = {"inputSchema": schema} if schema else {}
    return Made([tool(f"look_{number}", description, **more) for number in range(count)])


async def test_a_resolved_answer_has_one_tool_ready_to_call(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = await asked(monkeypatch, "plug it in outside", {"git": git()})
    (one,) = answered.pop("tools")
    assert answered == {"decision": "resolved"}
    assert one.pop("matchConfidence") > 0.9
    assert one == {
        "name": "git__push_commits",
        "server": "git",
        "description": "plug outside",
        "inputSchema": WITH_BRANCH,
    }


async def test_an_ambiguous_answer_has_five_tools_unless_top_says_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = await asked(monkeypatch, "a picture", {"many": many(9)})
    assert (answered["decision"], len(answered["tools"])) == ("ambiguous", 5)
    assert "call_tool" in answered["hint"]
    for top in [1, 3, 8]:
        async with running(monkeypatch, {"many": many(9)}) as gateway, gateway.client() as client:
            assert len((await search(client, "a picture", top=top))["tools"]) == top, top


async def test_a_question_is_not_resolved_to_a_tool_that_changes_something(monkeypatch: pytest.MonkeyPatch) -> None:
    for need, decision in [("plug it in outside", "resolved"), ("is it plugged in outside", "ambiguous")]:
        answered = await asked(monkeypatch, need, {"git": git()})
        assert (answered["decision"], found(answered)[0]) == (decision, "git__push_commits"), need


async def test_a_need_or_top_out_of_bounds_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for top in [0, 21]:
        async with running(monkeypatch, {"git": git()}) as gateway, gateway.client() as client:
            result = await client.call_tool("search_tools", {"need": "undo", "top": top})
        assert result.is_error, top
    for need, said in [(" \n", "blank"), ("x" * (LONGEST_PHRASE + 1), "10,001 characters")]:
        async with running(monkeypatch, {"git": git()}) as gateway, gateway.client() as client:
            result = await client.call_tool("search_tools", {"need": need})
        assert result.is_error, need
        assert said in str(result.content), need
        assert "state one need in a sentence" in str(result.content), need


async def test_candidates_with_long_schemas_and_texts_stay_within_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    for top in [5, 20]:
        made = many(20, LONG, "see a picture " + "and more " * 400)
        async with running(monkeypatch, {"many": made}) as gateway, gateway.client() as client:
            answered = await search(client, "a picture", top=top)
        shown = [(each["description"], each.get("inputSchema", "")) for each in answered["tools"]]
        assert len(shown) == top, top
        assert all(text.endswith(CUT) for text, _ in shown), top
        assert len(json.dumps(shown, separators=(",", ":"))) < ROOM + 20 * top, top


async def test_long_schemas_lose_descriptions_then_are_left_out_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = await asked(monkeypatch, "a picture", {"many": many(5, LONG)})
    shown = [each["inputSchema"] for each in answered["tools"]]
    assert shown[0] == LONG
    assert "description" not in json.dumps(shown[-1])
    assert list(shown[-1]["properties"]) == list(LONG["properties"])
    answered = await asked(monkeypatch, "a picture", {"many": many(5, HUGE)})
    assert all("inputSchema" not in each for each in answered["tools"])
    assert "search for the full name" in answered["hint"]


async def test_a_schema_too_long_for_any_answer_is_in_capabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(monkeypatch, {"many": many(1, HUGE)}) as gateway, gateway.client() as client:
        answered = await search(client, "many__look_0")
        assert "capabilities(family='many', include_schema=true)" in answered["hint"]
        assert "inputSchema" not in answered["tools"][0]
        shown = await answer(client, "capabilities", {"family": "many", "include_schema": True})
    assert shown["tools"][0]["input_schema"] == HUGE


async def test_no_match_has_no_tools_but_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = await asked(monkeypatch, "what does it cost")
    assert (answered["decision"], answered["tools"]) == ("no_match", [])
    assert "git__push_commits" in answered["hint"]
    answered = await asked(monkeypatch, "undo", {"slow": Made(fault="silent")})
    assert (answered["decision"], answered["tools"]) == ("no_match", [])
    assert "slow is connecting since" in answered["hint"]


async def test_an_exact_name_wins_whatever_else_the_need_says(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [
        "git__push_commits",
        "push_commits",
        "git push commits",
        "now see a picture with push_commits please",
        "undo it, then call `git__push_commits`.",
    ]
    for need in cases:
        answered = await asked(monkeypatch, need)
        assert (answered["decision"], found(answered)) == ("resolved", ["git__push_commits"]), need
        assert answered["tools"][0]["matchConfidence"] == 1, need


async def test_a_name_that_several_servers_have_is_ambiguous_and_quoted_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert found(await asked(monkeypatch, "see the status in a picture")) == ["files__read_image"]
    assert found(await asked(monkeypatch, "see the 'status' in a picture")) == ["git__status", "files__status"]
    answered = await asked(monkeypatch, "status")
    assert (answered["decision"], found(answered)) == ("ambiguous", ["git__status", "files__status"])
    assert [each["matchConfidence"] for each in answered["tools"]] == [0.5, 0.5]


async def test_the_name_of_a_server_finds_up_to_five_of_its_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = await asked(monkeypatch, "GIT")
    assert (answered["decision"], found(answered)) == ("ambiguous", ["git__status", "git__push_commits"])
    answered = await asked(monkeypatch, "many", {"many": many(150)})
    assert (answered["decision"], len(answered["tools"])) == ("ambiguous", 5)
