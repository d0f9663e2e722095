"""`recommend`: agents ranked by the needs that they cover."""

import json
from pathlib import Path
from typing import Any

import pytest

from server.catalog.folders import DATA_VARIABLE
from server.cli.phrases import whole
from server.cli.recommend import render
from server.matching.service import Service
from server.tools.paging import cut
from tests.server.cli.commands import Commands


@pytest.fixture
def ask(run: Commands, shared_alias_data: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    """Return the command over the toy catalog, named by the environment."""
    monkeypatch.setenv(DATA_VARIABLE, str(shared_alias_data))
    return run


def words(ask: Commands) -> list[list[str]]:
    """Return what was printed, as the words of each line."""
    return [line.split() for line in ask.out.splitlines()]


def test_agents_are_ranked_with_their_plan_and_what_they_offer(ask: Commands) -> None:
    assert ask("recommend", "Checkpoints", "Vision") == 0
    assert ["rank", "agent", "covers", "plan", "needed"] in words(ask)
    assert ["1", "gemini-cli", "2", "of", "2", "pro"] in words(ask)
    assert ask("recommend", "MCP Support", "--json") == 0
    order = [agent["agent"] for agent in ask.objects()[0]["agents"]]
    assert ask("recommend", "MCP Support") == 0
    assert order == ["claude-code", "gemini-cli"]
    assert ["1", "claude-code", "1", "of", "1", "pro"] in words(ask)
    assert ["need", *order] in words(ask)
    assert ["MCP", "Support", "yes", "no"] in words(ask)
    assert "gemini-cli, MCP Support: MCP Support of this agent" in ask.out.splitlines()
    assert ask("recommend", "MCP Support", "--tier", "free") == 0
    assert ["MCP", "Support", "needs", "pro", "no"] in words(ask)


def test_what_the_caller_has_beside_a_plan_counts(ask: Commands, shared_alias_data: Path) -> None:
    path = shared_alias_data / "agents" / "claude-code" / "capabilities" / "current.json"
    file = json.loads(path.read_text(encoding="utf-8"))
    file["capabilities"][1]["access"] = ["ownKey"]
    path.write_text(json.dumps(file), encoding="utf-8")
    assert ask("recommend", "MCP Support", "--access", "ownKey") == 0
    plan = ["no", "plan", "with", "your", "own", "key", "or", "model"]
    assert ["1", "claude-code", "1", "of", "1", *plan] in words(ask)
    assert ask("recommend", "MCP Support", "--access", "localModel") == 0
    assert ["MCP", "Support", "needs", "pro", "or", "own", "key", "no"] in words(ask)


def test_json_is_the_tools_answer_on_one_line(ask: Commands) -> None:
    assert ask("recommend", "Checkpoints", "zzz qqq", "--tier", "free", "--json") == 0
    (answer,) = ask.objects()
    assert answer["tier"] == "free"
    assert [need["decision"] for need in answer["understood"]] == ["resolved", "no_match"]


def test_a_need_that_is_not_clear_is_told_with_its_candidates_and_what_to_do(ask: Commands) -> None:
    assert ask("recommend", "history", "Vision") == 0
    assert "unclear: " in ask.out
    assert "ask again with the name that is meant" in ask.out.replace("\n", " ")


def test_needs_of_which_none_is_clear_rank_nobody(ask: Commands) -> None:
    assert ask("recommend", "zzz qqq") == 0
    assert ask.out.splitlines() == [
        "need     understood as",
        "zzz qqq  no capability",
        "",
        "The catalog does not cover a need that fits no capability.",
    ]


def standing(**more: Any) -> dict[str, Any]:
    return {"capability": "Vision", "verdict": "yes", "available": True, **more}


def recommended(**more: Any) -> dict[str, Any]:
    """Return an answer with one agent and one need."""
    need = {"need": "see", "decision": "resolved", "capability": "Vision", "matchConfidence": 0.9}
    agent = {"rank": 1, "agent": "gemini-cli", "covered": 1, "of": 1, "needs": [standing(**more)]}
    return {"understood": [need], "agents": [agent]}


def test_a_cell_says_the_verdict_or_value_or_what_is_missing() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "yes"),
        ({"tier": "pro"}, "yes"),
        ({"verdict": "partly"}, "partly"),
        ({"verdict": "undocumented"}, "?"),
        ({"verdict": None, "value": "Esc"}, "Esc"),
        ({"tier": "pro", "beyond": True}, "needs pro"),
        ({"tier": "pro", "maturityLevel": "beta", "access": ["ownKey"], "beyond": True}, "needs pro or own key, beta"),
        ({"beyond": True}, "needs another plan"),
        ({"available": False, "verdict": "no"}, "no"),
    ]
    for need, cell in cases:
        lines = render(recommended(**need)).splitlines()
        assert lines[lines.index("need  gemini-cli") + 1] == f"see   {cell}", need


def test_what_takes_something_back_and_what_breaks_a_tie_is_shown() -> None:
    for verdict in ["partly", "no"]:
        text = render(recommended(verdict=verdict, because="Only with an API key."))
        assert "gemini-cli, see: Only with an API key." in text.splitlines(), verdict
    for verdict in ["yes", "undocumented"]:
        assert "API key" not in render(recommended(verdict=verdict, because="Only with an API key.")), verdict
    answer = recommended() | {"ties": [{"rank": 1, "agents": ["a", "b"], "brokenBy": "the plan: Vision (a free)"}]}
    assert "tie:          a, b; broken by the plan: Vision (a free)" in render(answer)


def test_a_need_that_is_a_question_is_shown_as_that() -> None:
    answer = recommended()
    answer["understood"][0]["question"] = "Can it see?"
    assert ["see", "Vision:", "Can", "it", "see?", "90%"] in [line.split() for line in render(answer).splitlines()]
    answer["understood"][0]["opposite"] = True
    assert "Vision: Can it see? (the opposite)" in render(answer)
    del answer["understood"][0]["question"]
    assert "Vision (the opposite)" in render(answer)


def test_half_a_need_is_counted_as_that() -> None:
    answer = recommended(verdict="partly")
    answer["agents"][0] |= {"covered": 1.5, "of": 2}
    assert ["1", "gemini-cli", "1.5", "of", "2"] in [line.split() for line in render(answer).splitlines()]


def test_a_statement_that_the_tool_shortened_is_shown_whole(toy_service: Service) -> None:
    for shown, complete in [
        ("start MC…", "start MCP Support"),
        ("start MCP Support", "start MCP Support"),
        ("of another day…",) * 2,
    ]:
        need = {"capability": "MCP Support", "relevant": [{"statement": shown, "field": "setup"}]}
        (agent,) = whole(toy_service.catalog, {"agents": [{"agent": "claude-code", "needs": [need]}]})["agents"]
        assert agent["needs"][0]["relevant"][0]["statement"] == complete, shown


def test_a_setup_that_the_tool_shortened_is_shown_whole(toy_service: Service) -> None:
    line = {"agent": "claude-code", "implementationNotes": {"setup": "start M…"}}
    (found,) = whole(toy_service.catalog, {"capability": "MCP Support", "comparison": [line]})["comparison"]
    assert found["implementationNotes"]["setup"] == "start MCP Support"


def test_a_shortened_sentence_of_a_description_ends_where_the_sentence_ends(shipped_service: Service) -> None:
    catalog = shipped_service.catalog
    description = catalog.agents["claude-code"].entries["Checkpoints"].description or ""
    first, _, rest = description.partition(". ")
    assert rest
    line = {"agent": "claude-code", "relevant": [{"statement": f"{first[:20]}…", "field": "description"}]}
    (found,) = whole(catalog, {"capability": "Checkpoints", "comparison": [line]})["comparison"]
    assert found["relevant"][0]["statement"] == f"{first}."


def test_every_statement_of_the_shipped_catalog_is_whole_again(shipped_service: Service) -> None:
    for most in [60, 160]:
        catalog = shipped_service.catalog
        for agent in catalog.agents.values():
            for name, entry in agent.entries.items():
                said = [{"statement": text, "field": field} for field, _, text in entry.statements]
                line = {
                    "agent": agent.id,
                    "relevant": [each | {"statement": cut(each["statement"], most)} for each in said],
                }
                (found,) = whole(catalog, {"capability": name, "comparison": [line]})["comparison"]
                assert found["relevant"] == said, most
