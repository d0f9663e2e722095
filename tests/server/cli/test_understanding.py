"""How answers are told to people: candidates, statements, hints."""

from typing import Any

import pytest

from server.cli import compare, lookup
from server.cli.understanding import COMMAND_OF, candidates, for_people, note
from server.tools.answers import HINT_NOT_ENGLISH, NEXT_STEPS, NOTE_HINTS
from server.toolset.registry import TOOLS

RELEVANT = {"statement": "Only with an API key.", "field": "requirements", "confidence": 0.7}


def unsure(decision: str = "ambiguous", **more: Any) -> dict[str, Any]:
    """Return an answer with a likely candidate and one that is hardly likely."""
    return {
        "agent": "claude-code",
        "decision": decision,
        "query": "that",
        "matches": [
            {"name": "Shell Commands", "category": "security", "matchConfidence": 0.6, "available": True},
            {"name": "Vision", "category": "performance", "matchConfidence": 0.004, "available": True},
        ],
        "hint": NEXT_STEPS[decision],  # type: ignore[index]
        **more,
    }


def shown(answer: dict[str, Any]) -> str:
    return candidates(answer, lambda name: f"again {name}")


def test_an_ambiguous_phrase_is_asked_again_with_a_command_that_is_shown() -> None:
    several = unsure()
    several["matches"][1]["matchConfidence"] = 0.3
    assert lookup.render(several).startswith("'that' could mean several capabilities:\n")
    assert lookup.render(several).endswith(
        'Ask again with one of these names:\n  agent-capabilities lookup claude-code "Shell Commands"'
    )
    assert compare.render(unsure(), " --agent gemini-cli").endswith(
        '\n  agent-capabilities compare "Shell Commands" --agent gemini-cli'
    )


def test_a_likely_candidate_is_asked_about_by_its_name_alone() -> None:
    assert shown(unsure()).startswith("'that' may mean another capability than this:\n")
    assert shown(unsure()).endswith("Ask again with its name if it is meant:\n  again Shell Commands")
    assert "Shell Commands" in shown(unsure())
    assert "Vision" not in shown(unsure())
    assert shown(unsure()).splitlines()[1].split() == ["capability", "confidence", "available"]


def test_a_phrase_without_a_likely_candidate_is_answered_in_words() -> None:
    text = shown(unsure("no_match", matches=[]))
    assert text.startswith("'that' fits no capability.\n")
    assert "'agent-capabilities list' shows what it covers" in text.replace("\n", " ")


def test_a_candidate_is_shown_with_what_bears_on_the_phrase() -> None:
    answer = unsure()
    answer["matches"][0]["relevant"] = [RELEVANT]
    assert "bears on it:  Shell Commands: Only with an API key." in shown(answer)


def test_no_hint_tells_a_person_to_call() -> None:
    for decision in ["ambiguous", "no_match"]:
        for told in NOTE_HINTS.values():
            text = shown(unsure(decision, hint=f"{NEXT_STEPS[decision]} {told}"))  # type: ignore[index]
            assert "call again" not in text.casefold(), decision
            assert for_people(told) in text.replace("\n", " "), decision


def test_a_hint_is_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    hint = f"{NOTE_HINTS['several_needs']} {NOTE_HINTS['truncated']} {HINT_NOT_ENGLISH}"
    assert max(map(len, shown(unsure(hint=hint)).splitlines()[3:-1])) <= 40
    lines = "\n".join(note({"hint": hint})).splitlines()
    assert max(map(len, lines)) <= 40
    assert lines[0].startswith("(The phrase states several needs; ask")


def test_a_lookup_shows_what_bears_on_the_phrase_before_the_facts() -> None:
    answer = {
        "agent": "gemini-cli",
        "decision": "resolved",
        "relevant": [RELEVANT],
        "capability": {"name": "Vision", "category": "performance", "available": True},
    }
    assert lookup.render(answer).splitlines() == [
        "Vision in gemini-cli",
        "bears on it:  Only with an API key.",
        "available:    yes",
    ]


def test_a_comparison_shows_what_bears_on_the_phrase_for_each_agent() -> None:
    line = {"agent": "gemini-cli", "verdict": "yes", "available": True, "relevant": [RELEVANT]}
    lacking = {"agent": "x", "verdict": "no", "available": False}
    answer = {"decision": "resolved", "capability": "Vision", "comparison": [line, lacking]}
    assert compare.render(answer).splitlines() == [
        "Vision",
        "agent       answer",
        "gemini-cli  yes",
        "x           no",
        "",
        "gemini-cli: Only with an API key.",
    ]


def test_a_comparison_shows_the_question_and_the_sentence_for_each_agent() -> None:
    line = {"agent": "gemini-cli", "verdict": "partly", "because": "Only files.", "tier": "pro", "available": True}
    asked = {"question": "Are shell changes undone?", "opposite": True, "alternatives": ["Are edits undone?"]}
    answer = {"decision": "ambiguous", "capability": "Checkpoints", "asked": asked, "comparison": [line]}
    lines = compare.render(answer).splitlines()
    assert "Are shell changes undone? The opposite is wanted, and the answers are turned." in " ".join(
        " ".join(lines).split()
    )
    assert ["or", "was", "it:", "Are", "edits", "undone?"] in [each.split() for each in lines]
    assert ["gemini-cli", "partly", "pro"] in [each.split() for each in lines]
    assert lines[-1] == "gemini-cli: Only files."


def test_a_comparison_of_several_needs_shows_each() -> None:
    parts = [{"verdict": "no", "because": "Not it."}, {"value": "Esc", "because": "Press Esc."}]
    line = {"agent": "x", "verdict": "no", "because": "Not it.", "parts": parts}
    text = compare.render({"decision": "resolved", "capability": "Vision", "needs": ["a", "b"], "comparison": [line]})
    assert text.splitlines()[-2:] == ["x: no: Not it.", "x: Esc: Press Esc."]
    assert [each.split() for each in text.splitlines()[1:3]] == [["need", "1:", "a"], ["need", "2:", "b"]]


def test_every_tool_but_those_about_tools_is_named_as_a_command() -> None:
    assert set(COMMAND_OF) == {tool.name for tool in TOOLS if tool.family != "meta"}
    assert for_people("list_capabilities shows it; call again") == "'agent-capabilities list' shows it; ask again"
