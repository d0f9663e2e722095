import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_types import Tool

from server.catalog.folders import DATA_VARIABLE
from server.evals.formats.prompts import read_suite
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


def test_prompts_are_printed_one_a_line_and_alone(command: Commands) -> None:
    assert command("eval", "prompts") == 0
    assert command.out.splitlines() == [" ".join(text.split()) for text in read_suite().inputs]
    assert "lookup_capability" not in command.out


def test_line_breaks_within_a_prompt_are_printed_as_spaces(command: Commands, tmp_path: Path) -> None:
    assert command("eval", "prompts", "--prompts", write(tmp_path, "two\r\nlines\u2028three", "next")) == 0
    assert command.out == "two lines three\nnext\n"


def test_prompts_as_json_are_objects_that_a_recording_can_be_made_of(command: Commands, tmp_path: Path) -> None:
    assert command("eval", "prompts", "--json", "--prompts", write(tmp_path, "two\nlines", "n\u00e4chste")) == 0
    assert command.objects() == [{"input": "two\nlines"}, {"input": "n\u00e4chste"}]


def test_all_shipped_prompts_and_scenarios_are_printed_as_json(command: Commands) -> None:
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


@pytest.mark.parametrize("action", [["prompts"], ["llm"]])
def test_prompts_that_are_not_there_are_the_callers_mistake(
    command: Commands, toy_data: Path, action: list[str]
) -> None:
    data = ["--data", str(toy_data)] if action == ["llm"] else []
    assert command("eval", *action, *data, "--prompts", "missing.json") == 2
    assert command.out == ""
    assert command.err.startswith("error: prompts 'missing.json' cannot be read")


def test_prompts_of_a_wrong_shape_are_the_callers_mistake(command: Commands, tmp_path: Path) -> None:
    path = tmp_path / "prompts.json"
    path.write_text('{"prompts": [{"input": "a"}]}', encoding="utf-8")
    assert command("eval", "prompts", "--prompts", str(path)) == 2
    assert "prompts.0.expectedTool" in command.err


@pytest.mark.parametrize(
    ("recorded", "message"),
    [(None, "cannot be read"), ("nope", "line 1 is 'nope'"), (LINE + LINE, "twice"), ("", "no recordings")],
    ids=["missing", "no json", "twice", "empty"],
)
def test_recordings_that_cannot_be_used_are_the_callers_mistake(
    command: Commands, toy_data: Path, tmp_path: Path, recorded: str | None, message: str
) -> None:
    path = tmp_path / "recorded.jsonl"
    if recorded is not None:
        path.write_text(recorded, encoding="utf-8")
    assert command("eval", "llm", "--data", str(toy_data), "--replay", str(path)) == 2
    assert command.out == ""
    assert message in command.err


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["unheard-of"],
        ["llm", "--limit", "0"],
        ["llm", "--concurrency", "many"],
        ["llm", "--retries", "-1"],
        ["llm", "--provider", "nobody"],
        ["llm", "--model", "some", "--replay", "some.jsonl"],
    ],
)
def test_options_that_make_no_sense_are_the_callers_mistake(
    command: Commands, toy_data: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(toy_data))
    assert command("eval", *options) == 2
    assert "usage:" in command.err


def test_a_data_folder_that_is_not_there_is_the_callers_mistake(command: Commands) -> None:
    assert command("eval", "tools", "--data", "missing") == 2
    assert "missing" in command.err


def test_a_page_that_cannot_be_written_is_the_callers_mistake(
    command: Commands, toy_data: Path, tmp_path: Path
) -> None:
    recorded = tmp_path / "recorded.jsonl"
    recorded.write_text(LINE, encoding="utf-8")
    options = ["--prompts", write(tmp_path, "asked"), "--replay", str(recorded), "--html", str(tmp_path)]
    assert command("eval", "llm", "--data", str(toy_data), *options) == 2
    assert "give another path" in command.err
