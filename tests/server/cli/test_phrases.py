"""Phrases without quotes, and the agent before or after the phrase."""

from pathlib import Path

import pytest

from server.catalog.folders import DATA_VARIABLE
from server.cli.phrases import AgentQuery, asked_of
from server.matching.service import Service
from tests.server.cli.commands import Commands


@pytest.fixture
def ask(run: Commands, toy_data: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    """Return the command over the toy catalog, named by the environment."""
    monkeypatch.setenv(DATA_VARIABLE, str(toy_data))
    return run


def test_words_without_quotes_are_one_phrase_until_the_next_option(ask: Commands) -> None:
    cases: list[list[str]] = [["lookup", "claude"], ["compare"], ["sources", "--capability"]]
    for command in cases:
        assert ask(*command, "restore what was there", "--json") == 0, command
        quoted = ask.out
        assert ask(*command, "restore", "what", "was", "there", "--json") == 0, command
        assert ask.out == quoted, command
    assert ask("compare", "restore", "files", "--agent", "claude", "--json") == 0
    assert [line["agent"] for line in ask.objects()[0]["comparison"]] == ["claude-code"]


def test_the_agent_is_told_from_the_phrase(toy_service: Service) -> None:
    cases: list[tuple[str, AgentQuery]] = [
        ("claude|undo it", AgentQuery("claude", "undo it")),
        ("claude|can|it|undo", AgentQuery("claude", "can it undo")),
        ("claude code|undo it", AgentQuery("claude code", "undo it")),
        ("Claude|Code|can|it|undo", AgentQuery("Claude Code", "can it undo")),
        ("undo it|claude-code", AgentQuery("claude-code", "undo it", swapped=True)),
        ("undo it|claude", AgentQuery("claude", "undo it", swapped=True)),
        ("undo|it|claude-code", AgentQuery("claude-code", "undo it", swapped=True)),
        ("undo|it|gemini|cli", AgentQuery("gemini cli", "undo it", swapped=True)),
        ("gemini|undo|like|claude-code", AgentQuery("gemini", "undo like claude-code")),
        ("gemini-cli|claude-code", AgentQuery("gemini-cli", "claude-code")),
        ("chat|claude-code", AgentQuery("claude-code", "chat", swapped=True)),
        ("nobody|anthropic", AgentQuery("nobody", "anthropic")),
        ("nobody|undo it", AgentQuery("nobody", "undo it")),
        ("claude| ", AgentQuery("claude", " ")),
    ]
    for words, asked in cases:
        assert asked_of(toy_service, words.split("|")) == asked, words


def test_an_agent_after_the_phrase_is_put_right_and_told(ask: Commands) -> None:
    assert ask("lookup", "Checkpoints", "claude-code") == 0
    first, second = ask.out.splitlines()[:2]
    assert first == "(read 'claude-code' as the agent and 'Checkpoints' as the phrase)"
    assert second == "Checkpoints in claude-code"
    assert ask("lookup", "Checkpoints", "claude-code", "--json") == 0
    assert ask.objects()[0]["agent"] == "claude-code"
