"""Phrases without quotes, and the agent before or after the phrase."""

from pathlib import Path

import pytest

from server.catalog.folders import DATA_VARIABLE
from server.cli.phrases import Asked, asked_of
from server.matching.service import Service
from tests.server.cli.commands import Commands


@pytest.fixture
def ask(run: Commands, toy_data: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    """The command over the toy catalog, named by the environment."""
    monkeypatch.setenv(DATA_VARIABLE, str(toy_data))
    return run


@pytest.mark.parametrize("command", [["lookup", "claude"], ["compare"], ["sources", "--capability"]])
def test_words_without_quotes_are_one_phrase(ask: Commands, command: list[str]) -> None:
    assert ask(*command, "restore what was there", "--json") == 0
    quoted = ask.out
    assert ask(*command, "restore", "what", "was", "there", "--json") == 0
    assert ask.out == quoted


def test_a_phrase_ends_at_the_next_option(ask: Commands) -> None:
    assert ask("compare", "restore", "files", "--agent", "claude", "--json") == 0
    assert [line["agent"] for line in ask.objects()[0]["comparison"]] == ["claude-code"]


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("claude|undo it", Asked("claude", "undo it")),
        ("claude|can|it|undo", Asked("claude", "can it undo")),
        ("claude code|undo it", Asked("claude code", "undo it")),
        ("Claude|Code|can|it|undo", Asked("Claude Code", "can it undo")),
        ("undo it|claude-code", Asked("claude-code", "undo it", swapped=True)),
        ("undo it|claude", Asked("claude", "undo it", swapped=True)),
        ("undo|it|claude-code", Asked("claude-code", "undo it", swapped=True)),
        ("undo|it|gemini|cli", Asked("gemini cli", "undo it", swapped=True)),
        ("gemini|undo|like|claude-code", Asked("gemini", "undo like claude-code")),
        ("gemini-cli|claude-code", Asked("gemini-cli", "claude-code")),
        ("chat|claude-code", Asked("claude-code", "chat", swapped=True)),
        ("nobody|anthropic", Asked("nobody", "anthropic")),
        ("nobody|undo it", Asked("nobody", "undo it")),
        ("claude| ", Asked("claude", " ")),
    ],
)
def test_the_agent_is_told_from_the_phrase(toy_service: Service, words: str, asked: Asked) -> None:
    assert asked_of(toy_service, words.split("|")) == asked


def test_an_agent_after_the_phrase_is_put_right_and_told(ask: Commands) -> None:
    assert ask("lookup", "Checkpoints", "claude-code") == 0
    first, second = ask.out.splitlines()[:2]
    assert first == "(read 'claude-code' as the agent and 'Checkpoints' as the phrase)"
    assert second == "Checkpoints in claude-code"


def test_in_json_an_agent_after_the_phrase_is_put_right(ask: Commands) -> None:
    assert ask("lookup", "Checkpoints", "claude-code", "--json") == 0
    assert ask.objects()[0]["agent"] == "claude-code"
