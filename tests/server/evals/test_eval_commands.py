import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_types import Tool

from server.catalog.folders import DATA_VARIABLE
from server.evals.prompts import read_suite
from server.matching.matcher_provider import MatcherProvider
from server.matching.service import Service
from server.protocol.server import build_server
from tests.server.cli.commands import Commands

LINE = '{"input": "asked", "calls": []}\n'
PROMPT = {"input": "asked", "expectedTool": None}


def write(folder: Path, *inputs: str) -> str:
    path = folder / "prompts.json"
    path.write_text(json.dumps({"prompts": [PROMPT | {"input": text} for text in inputs]}), encoding="utf-8")
    return str(path)


@pytest.fixture
def nothing_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Listing tools loads no matcher in the background, which would outlive the test."""
    monkeypatch.setattr(MatcherProvider, "start", lambda self, delay=0.0: None)


def printed_tools(command: Commands, *options: str) -> Any:
    assert command("eval", "tools", *options) == 0
    return json.loads(command.out)


async def listed(service: Service) -> list[Tool]:
    async with Client(build_server(service)) as client:
        return (await client.list_tools()).tools


def test_prompts_are_printed_one_a_line_and_alone(command: Commands, tmp_path: Path) -> None:
    assert command("eval", "prompts") == 0
    assert command.out.splitlines() == [" ".join(text.split()) for text in read_suite().inputs]
    assert "lookup_capability" not in command.out
    assert command("eval", "prompts", "--prompts", write(tmp_path, "two\r\nlines\u2028three", "next")) == 0
    assert command.out == "two lines three\nnext\n"


def test_prompts_as_json_are_objects_that_a_recording_can_be_made_of(command: Commands, tmp_path: Path) -> None:
    assert command("eval", "prompts", "--json", "--prompts", write(tmp_path, "two\nlines", "n\u00e4chste")) == 0
    assert command.objects() == [{"input": "two\nlines"}, {"input": "n\u00e4chste"}]
    assert command("eval", "prompts", "--json") == 0
    assert [line["input"] for line in command.objects()] == read_suite().inputs


def test_tools_are_printed_exactly_as_they_are_listed(
    command: Commands, service: Service, toy_data: Path, nothing_loads: None
) -> None:
    assert printed_tools(command, "--data", str(toy_data)) == [
        {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema}
        for tool in anyio.run(listed, service)
    ]


def test_the_four_core_tools_are_what_a_model_receives(command: Commands, nothing_loads: None) -> None:
    names = [tool["name"] for tool in printed_tools(command)]
    assert names == ["lookup_capability", "compare_capability", "list_capabilities", "get_sources"]


def test_prompts_that_are_not_there_are_the_callers_mistake(command: Commands, toy_data: Path) -> None:
    cases: list[list[str]] = [["prompts"], ["llm"]]
    for action in cases:
        data = ["--data", str(toy_data), "--model", "some", "--key-variable", "PATH"] if action == ["llm"] else []
        assert command("eval", *action, *data, "--prompts", "missing.json") == 2, action
        assert command.out == "", action
        assert command.err.startswith("error: prompts 'missing.json' cannot be read"), action


def test_prompts_of_a_wrong_shape_or_a_missing_folder_are_the_callers_mistake(
    command: Commands, tmp_path: Path
) -> None:
    path = tmp_path / "prompts.json"
    path.write_text('{"prompts": [{"input": "a"}]}', encoding="utf-8")
    assert command("eval", "prompts", "--prompts", str(path)) == 2
    assert "prompts.0.expectedTool" in command.err
    assert command("eval", "tools", "--data", "missing") == 2
    assert "missing" in command.err


def test_recordings_that_cannot_be_used_are_the_callers_mistake(
    command: Commands, toy_data: Path, tmp_path: Path
) -> None:
    cases: list[tuple[str | None, str]] = [
        (None, "cannot be read"),
        ("nope", "line 1 is 'nope'"),
        (LINE + LINE, "twice"),
        ("", "no recordings"),
    ]
    for recorded, message in cases:
        path = tmp_path / "recorded.jsonl"
        if recorded is not None:
            path.write_text(recorded, encoding="utf-8")
        assert command("eval", "llm", "--data", str(toy_data), "--replay", str(path)) == 2, recorded
        assert command.out == "", recorded
        assert message in command.err, recorded


def test_options_that_make_no_sense_are_the_callers_mistake(
    command: Commands, toy_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases: list[list[str]] = [
        [],
        ["unheard-of"],
        ["llm", "--limit", "0"],
        ["llm", "--concurrency", "many"],
        ["llm", "--retries", "-1"],
        ["llm", "--provider", "nobody"],
        ["llm", "--model", "some", "--replay", "some.jsonl"],
    ]
    for options in cases:
        monkeypatch.setenv(DATA_VARIABLE, str(toy_data))
        assert command("eval", *options) == 2, options
        assert "usage:" in command.err, options


def test_a_model_or_a_replay_must_be_given(command: Commands, toy_data: Path) -> None:
    assert command("eval", "llm", "--data", str(toy_data)) == 2
    problem, rule, step = command.err.strip().split("; ")
    assert problem == "error: eval llm was given neither --model nor --replay"
    assert rule == "it scores the calls of a model or of a recording"
    assert step == "add --model NAME or --replay FILE"
