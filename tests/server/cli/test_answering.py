import json
from pathlib import Path

import pytest

from server.catalog.folders import DATA_VARIABLE
from tests.server.cli.commands import Commands


@pytest.fixture
def ask(run: Commands, shared_alias_data: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    """Return the command over the toy catalog, named by the environment."""
    monkeypatch.setenv(DATA_VARIABLE, str(shared_alias_data))
    return run


def test_lookup_prints_the_facts_or_that_there_are_none(ask: Commands) -> None:
    assert ask("lookup", "claude", "Checkpoints") == 0
    for line in ("Checkpoints in claude-code", "available:    yes", "setup:        start Checkpoints"):
        assert line in ask.out.splitlines()
    assert "https://example.com/docs (verified 2026-08-22)" in ask.out
    assert ask("lookup", "claude", "Vision") == 0
    assert "says nothing about this capability" in ask.out
    assert ask("lookup", "claude", "restore what was there") == 0
    assert "('restore what was there' understood with" in ask.out


def test_lookup_says_in_one_line_what_the_facts_stand_at(ask: Commands, shared_alias_data: Path) -> None:
    path = shared_alias_data / "agents" / "claude-code" / "capabilities" / "current.json"
    file = json.loads(path.read_text(encoding="utf-8")) | {"asOf": {"version": "2.1.316", "date": "2026-10-20"}}
    path.write_text(json.dumps(file), encoding="utf-8")
    assert ask("lookup", "claude", "Checkpoints") == 0
    assert ask.out.splitlines()[1] == "as of 2.1.316 (2026-10-20)"


def test_lookup_json_is_the_tools_answer_on_one_line(ask: Commands) -> None:
    assert ask("lookup", "claude", "Vision", "--json") == 0
    assert ask.objects() == [
        {
            "agent": "claude-code",
            "decision": "resolved",
            "documented": False,
            "capability": {"name": "Vision", "category": "performance"},
        }
    ]


def test_an_unsure_phrase_is_answered_with_candidates(ask: Commands) -> None:
    cases: list[list[str]] = [["lookup", "claude"], ["compare"], ["sources", "--capability"]]
    for phrase, lead, candidate in [
        ("history", "could mean several capabilities:", "Checkpoints"),
        ("zzz qqq", "fits no capability;", "Vision"),
    ]:
        for command in cases:
            assert ask(*command, phrase) == 0, (phrase, command)
            assert f"{phrase!r} {lead}" in ask.out, (phrase, command)
            assert candidate in ask.out, (phrase, command)


def test_compare_prints_a_line_for_each_agent(ask: Commands) -> None:
    assert ask("compare", "Vision") == 0
    title, head, first, second = ask.out.splitlines()
    assert title == "Vision"
    assert head.split() == ["agent", "answer", "needs"]
    assert first.split() == ["claude-code", "?"]
    assert second.split() == ["gemini-cli", "yes", "pro"]
    assert ask("compare", "MCP Support") == 0
    assert ask.out.splitlines()[-1] == "gemini-cli: MCP Support of this agent"
    assert ask("compare", "MCP", "--agent", "gemini", "--agent", "claude", "--json") == 0
    assert [line["agent"] for line in ask.objects()[0]["comparison"]] == ["gemini-cli", "claude-code"]


def test_list_prints_what_an_agent_lacks_as_well(ask: Commands) -> None:
    assert ask("list", "--agent", "gemini") == 0
    assert [line.split()[-1] for line in ask.out.splitlines()[1:]] == [
        "agent-orchestration",
        "api-integration",
        "performance",
    ]
    assert "MCP Support  no" in ask.out


def test_list_of_a_category_names_the_agents(ask: Commands) -> None:
    assert ask("list", "--category", "api-integration", "--json") == 0
    assert [item["agent"] for item in ask.objects()[0]["capabilities"]] == ["claude-code", "gemini-cli"]


def test_sources_prints_pages_with_dates(ask: Commands) -> None:
    assert ask("sources", "--agent", "claude", "--capability", "mcp") == 0
    assert ask.out.splitlines()[1].split() == [
        "claude-code",
        "MCP",
        "Support",
        "2026-08-22",
        "https://example.com/docs",
    ]


def test_sources_json_is_the_tools_answer(ask: Commands) -> None:
    assert ask("sources", "--agent", "claude", "--json") == 0
    assert [source["capability"] for source in ask.objects()[0]["sources"]] == ["Checkpoints", "MCP Support"]
