from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.matching.service import Service
from server.tools.recommend_agent import MAX_NEEDS, TOOL, RecommendRequest, recommend
from server.toolset.start import Start, parse_profile
from server.toolset.toolset import advertised
from tests.server.calls import answer, error

FULL = Start(profile=parse_profile("full"))


def ranked(service: Service, needs: list[str], **more: Any) -> dict[str, Any]:
    return answer(service, TOOL.name, {"needs": needs, **more})


def refused(service: Service, **arguments: Any) -> str:
    return error(service, TOOL.name, arguments)


def test_what_each_need_was_taken_to_mean_is_shown(service: Service) -> None:
    exact = {"decision": "resolved", "matchedBy": "exact", "matchConfidence": 1.0}
    assert (ranked(service, ["vision", "mcp", "restore what was there"]))["understood"] == [
        {"need": "vision", "capability": "Vision", **exact},
        {"need": "mcp", "capability": "MCP Support", **exact, "matchedBy": "alias"},
        {
            "need": "restore what was there",
            "capability": "Checkpoints",
            "decision": "resolved",
            "matchedBy": "embedding",
            "matchConfidence": 0.999,
        },
    ]


def test_each_need_has_its_item_in_its_place(service: Service) -> None:
    found = ranked(service, ["mcp", "rewind", "checkpoints", "restore what was there", "rewind"])
    assert len(found["understood"]) == 5
    assert {(agent["agent"], agent["covered"], agent["of"]) for agent in found["agents"]} == {
        ("claude-code", 5, 5),
        ("gemini-cli", 4, 5),
    }
    for agent in found["agents"]:
        assert [need["capability"] for need in agent["needs"]] == ["MCP Support", *["Checkpoints"] * 4]


def test_needs_that_are_not_clear_are_named_with_candidates(service: Service) -> None:
    found = ranked(service, ["history", "zzz qqq", "vision"])
    history, nothing, vision = found["understood"]
    for need, decision, likely in (
        (history, "ambiguous", {"Checkpoints", "Vision"}),
        (nothing, "no_match", {"Checkpoints", "MCP Support", "Vision"}),
    ):
        assert set(need) == {"need", "decision", "matchConfidence", "candidates"}
        assert (need["decision"], set(need["candidates"])) == (decision, likely)
    assert (history["need"], history["matchConfidence"]) == ("history", 0.5)
    assert (nothing["need"], nothing["matchConfidence"] < 0.1) == ("zzz qqq", True)
    assert "candidates" not in vision


def test_a_need_that_is_not_clear_keeps_its_place_and_is_covered_by_none(service: Service) -> None:
    for needs in [["history", "vision"], ["zzz qqq", "vision"], ["history", "history", "vision"]]:
        found = ranked(service, needs)
        assert {agent["of"] for agent in found["agents"]} == {len(needs)}, needs
        assert max(agent["covered"] for agent in found["agents"]) == 1, needs
        for agent in found["agents"]:
            assert agent["needs"][:-1] == [{"verdict": "undocumented"}] * (len(needs) - 1), needs
            assert agent["needs"][-1]["capability"] == "Vision", needs


def test_the_hint_tells_ambiguous_needs_from_those_that_fit_nothing(service: Service) -> None:
    hint = (ranked(service, ["history", "zzz qqq", "vision"]))["hint"]
    assert "1 of 3 needs could mean several capabilities" in hint
    assert "1 of 3 needs fit no capability and count for no agent." in hint


def test_the_hint_names_the_needs_that_no_agent_covers(service: Service) -> None:
    assert "hint" not in ranked(service, ["vision", "mcp"])
    assert ranked(service, ["checkpoints", "mcp", "vision"], tier="free")["hint"] == (
        "No agent has, with this plan or access: mcp; vision."
    )


def test_without_a_clear_need_no_agent_is_ranked(service: Service) -> None:
    found = ranked(service, ["history", "zzz qqq"])
    assert found["agents"] == []
    assert "1 of 2 needs could mean several" in found["hint"]


def test_an_answer_without_the_model_says_so(degraded_service: Service) -> None:
    found = ranked(degraded_service, ["vision", "zzz qqq"])
    assert found["degraded"] is True
    assert [(agent["agent"], agent["covered"]) for agent in found["agents"]] == [("gemini-cli", 1), ("claude-code", 0)]


def test_a_blank_need_among_others_is_passed_over(service: Service) -> None:
    assert ranked(service, ["", "mcp", " \n"]) == ranked(service, ["mcp"])


def test_needs_that_are_all_blank_are_refused_with_an_example(subtests: pytest.Subtests, service: Service) -> None:
    cases: list[list[str]] = [[""], [" \n", "", "\t"]]
    for needs in cases:
        with subtests.test(needs=needs):
            message = refused(service, needs=needs)
            assert message.startswith("recommend_agent got only blank needs")
            assert "such as 'undo changes'" in message


def test_needs_of_a_wrong_shape_are_refused_with_the_rule(service: Service) -> None:
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({"needs": []}, "got [] for 'needs'", "at least 1 item"),
        ({"needs": ["x"] * (MAX_NEEDS + 1)}, "got ['x', 'x'", f"at most {MAX_NEEDS} items"),
        ({"needs": "vision"}, "got 'vision' for 'needs'", "valid list"),
        ({"needs": ["vision", 3]}, "got 3 for 'needs.1'", "valid string"),
        ({}, "needs the argument 'needs'", "missing"),
        ({"needs": ["x"], "tier": 3}, "got 3 for 'tier'", "valid string"),
    ]
    for arguments, told, rule in cases:
        message = refused(service, **arguments)
        assert message.startswith(f"recommend_agent {told}"), (arguments, told, rule)
        assert rule in message, (arguments, told, rule)


def test_as_many_needs_as_allowed_are_answered_one_by_one(service: Service) -> None:
    needs = [f"restore file {number}" for number in range(MAX_NEEDS)]
    assert [need["need"] for need in (ranked(service, needs))["understood"]] == needs


def test_an_over_long_need_is_understood_and_repeated_in_part(service: Service) -> None:
    (need,) = (ranked(service, ["restore " * 20_000]))["understood"]
    assert (need["need"], need["capability"]) == (("restore " * 25)[:197] + "...", "Checkpoints")


@settings(deadline=None, database=None)
@given(needs=st.lists(st.text().filter(str.strip), min_size=1, max_size=MAX_NEEDS))
def test_any_needs_at_all_are_answered(session_service: Service, needs: list[str]) -> None:
    found = recommend(session_service, RecommendRequest(needs=needs)).to_json()
    assert len(found["understood"]) == len(needs)
    assert all(agent["covered"] <= agent["of"] <= len(needs) for agent in found["agents"])
    jsonschema.validate(found, advertised(TOOL).output_schema or False)
