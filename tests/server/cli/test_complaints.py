"""Errors on stderr, for people and as JSON."""

import json
from pathlib import Path

from tests.server.cli.commands import Commands

USAGE = [[], ["unheard-of"], ["lookup"], ["match", "--top", "0", "x"], ["config", "cursor"], ["list", "--bad"]]
MISTAKES = [["lookup", "nobody", "mcp"], ["lookup", "gemini", " "], ["list", "--category", "cooking"], ["match", ""]]


def error_of(run: Commands) -> dict[str, str]:
    """Return the error, which is all that was printed."""
    assert run.out == ""
    value = json.loads(run.err)
    assert list(value) == ["error"]
    error: dict[str, str] = value["error"]
    return error


def test_wrong_usage_and_mistakes_are_one_json_object_in_three_parts(run: Commands, toy_data: Path) -> None:
    for arguments in USAGE:
        assert run(*arguments, "--json") == 2, arguments
        error = error_of(run)
        assert list(error) == ["value", "rule", "nextStep"], arguments
        assert error["rule"].startswith("usage: agent-capabilities"), arguments
        assert "--help" in error["nextStep"], arguments
    for arguments in MISTAKES:
        assert run(*arguments, "--json", "--data", str(toy_data)) == 2, arguments
        error = error_of(run)
        assert list(error) == ["value", "rule", "nextStep"], arguments
        assert all(error.values()), arguments


def test_the_parts_of_an_error_are_those_of_its_line(run: Commands, toy_data: Path) -> None:
    run("lookup", "nobody; at; all", "mcp", "--data", str(toy_data))
    line = run.err
    run("lookup", "nobody; at; all", "mcp", "--json", "--data", str(toy_data))
    error = error_of(run)
    assert line == f"error: {error['value']}; {error['rule']}; {error['nextStep']}\n"
    assert error["value"] == "agent 'nobody; at; all' is not covered"


def test_a_fault_is_a_json_object_too_with_its_own_status(run: Commands, toy_data: Path) -> None:
    (toy_data / "agents" / "gemini-cli" / "capabilities" / "current.json").write_text("{", encoding="utf-8")
    assert run("list", "--agent", "claude", "--json", "--data", str(toy_data)) == 1
    assert "is not valid JSON" in error_of(run)["value"]


def test_an_error_speaks_to_a_person_and_repeats_what_the_caller_said(run: Commands, toy_data: Path) -> None:
    assert run("lookup", "nobody", "mcp", "--data", str(toy_data)) == 2
    assert "ask again with one of these ids" in run.err
    assert run("lookup", "call again", "mcp", "--data", str(toy_data)) == 2
    assert run.err.startswith("error: agent 'call again' is not covered")
