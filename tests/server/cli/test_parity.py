"""`parity`: agents side by side."""

from pathlib import Path

import pytest

from server.catalog.folders import DATA_VARIABLE
from server.cli.parity import render
from tests.server.cli.commands import Commands


@pytest.fixture
def ask(run: Commands, toy_data: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    """Return the command over the toy catalog, named by the environment."""
    monkeypatch.setenv(DATA_VARIABLE, str(toy_data))
    return run


def row(name: str, **agents: str) -> dict[str, object]:
    return {"name": name, "differs": ["plan"], "agents": agents}


def test_capabilities_are_rows_and_agents_columns_differences_first(ask: Commands) -> None:
    assert ask("parity") == 0
    title, head, *rows = ask.out.splitlines()
    assert title == "Different"
    assert head.split() == ["capability", "claude-code", "gemini-cli", "differ", "in"]
    assert any(line.startswith("MCP Support") and line.split()[2:4] == ["pro", "no"] for line in rows)


def test_json_is_the_tools_answer_on_one_line(ask: Commands) -> None:
    assert ask("parity", "--category", "api-integration", "--tier", "pro", "--agent", "gemini", "--json") == 0
    (answer,) = ask.objects()
    assert (answer["agent"], answer["category"], answer["tier"]) == ("gemini-cli", "api-integration", "pro")


def test_one_agent_is_shown_with_what_it_misses_and_alone_has() -> None:
    answer = {
        "agent": "a",
        "missing": [row("Vision", a="unavailable", b="free")],
        "unique": [row("Memory", a="pro", b="unavailable")],
        "different": [],
    }
    assert render(answer).splitlines() == [
        "Not in a, but in others",
        "capability  a   b     differ in",
        "Vision      no  free  plan",
        "",
        "Only in a",
        "capability  a    b   differ in",
        "Memory      pro  no  plan",
    ]


def test_questions_that_the_agents_answer_differently_are_shown_when_asked_for(run: Commands) -> None:
    asked = ["parity", "--category", "security", "--agent", "claude-code", "--agent", "gemini-cli"]
    assert run(*asked) == 0
    assert "questions" not in run.out
    assert run(*asked, "--questions", "--json") == 0
    (answer,) = run.objects()
    assert {row["capability"] for row in answer["questions"]} >= {"Sandboxing", "Permission Controls"}
    for row in answer["questions"]:
        assert list(row["agents"]) == ["claude-code", "gemini-cli"]
        assert len(set(row["agents"].values())) == 2


def test_a_verdict_is_a_cell_and_a_value_a_line_of_its_own() -> None:
    asked = [
        {"capability": "Vision", "question": "Does it see?", "agents": {"a": "yes", "b": "undocumented"}},
        {"capability": "Vision", "question": "How many pictures?", "agents": {"a": "20 a turn", "b": "no"}},
    ]
    assert render({"different": [], "questions": asked}).splitlines() == [
        "Vision: questions",
        "question      a    b",
        "Does it see?  yes  ?",
        "How many pictures?",
        "a:            20 a turn",
        "b:            no",
    ]


def test_cells_are_in_a_persons_words() -> None:
    cases = [
        ("available", "yes"),
        ("available, beta", "yes, beta"),
        ("not on free, needs pro", "needs pro"),
        ("pro, beta", "pro, beta"),
        ("undocumented", "not documented"),
    ]
    for told, shown in cases:
        answer = {"different": [row("X", agent=told)]}
        assert render(answer).splitlines()[2].removeprefix("X").removesuffix("plan").strip() == shown, told


def test_what_is_understood_missing_or_not_known_is_told() -> None:
    text = render({"different": [], "everywhere": ["X"], "nowhere": ["A", "B"], "undocumented": ["C"]})
    assert text.splitlines() == ["same in all:  X", "", "in none:      A, B", "", "not known:    C"]
    understood = {"query": "rules", "confidence": 0.9}
    text = render({"understood": understood, "category": "security", "different": [row("X", a="pro")]})
    assert text.startswith("('rules' understood as security with 90% confidence)\n")
