"""Evaluations of servers with other tools than the default ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from server.errors import CallerError
from server.evals.evaluate import chosen_suite, reachable_tools
from server.evals.prompts import read_suite
from server.evals.recording import Recording, open_recording_log, read_recordings
from server.evals.tool_runner import connect, start_label
from server.matching.matcher_provider import MatcherProvider
from server.matching.service import Service
from server.toolset.registry import TOOLS
from server.toolset.start import PROFILE_VARIABLE, Start, parse_profile
from tests.server.cli.commands import Commands
from tests.server.evals.asking import INPUTS
from tests.server.evals.eval_llm import EvalLlm
from tests.server.providers.wire_shapes import Say

CORE = ["lookup_capability", "compare_capability", "list_capabilities", "get_sources"]
META = ["capabilities", "load_family", "smart_load", "call_tool"]
NINE = [tool.name for tool in TOOLS if tool.family != "meta"]


@pytest.fixture
def nothing_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Listing tools loads no matcher in the background, which would outlive the test."""
    monkeypatch.setattr(MatcherProvider, "start", lambda self, delay=0.0: None)


def printed(command: Commands, *options: str) -> list[dict[str, Any]]:
    assert command("eval", "tools", *options) == 0
    tools: list[dict[str, Any]] = json.loads(command.out)
    return tools


@pytest.mark.usefixtures("nothing_loads")
def test_the_tools_of_a_start_are_printed(command: Commands) -> None:
    cases: list[tuple[list[str], list[str]]] = [
        (["--profile", "full"], NINE),
        (["--profile", "match"], [*CORE, "match_capability", "explain_match"]),
        (["--dynamic-tools"], [*CORE, *META]),
        (["--profile", "catalog", "--dynamic-tools"], [*CORE, "catalog_status", *META]),
    ]
    for options, names in cases:
        assert [tool["name"] for tool in printed(command, *options)] == names, options


@pytest.mark.usefixtures("nothing_loads")
def test_the_environment_chooses_the_profile_if_no_option_does(
    command: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PROFILE_VARIABLE, "full")
    assert len(printed(command)) == 9
    assert len(printed(command, "--profile", "core")) == 4


@pytest.mark.usefixtures("nothing_loads")
def test_the_full_wire_has_the_descriptions_of_arguments(command: Commands) -> None:
    trimmed, full = printed(command), printed(command, "--wire", "full")
    assert "description" not in trimmed[0]["inputSchema"]["properties"]["capability"]
    assert "description" in full[0]["inputSchema"]["properties"]["capability"]


def test_an_unknown_family_is_the_callers_mistake(command: Commands) -> None:
    for action in ["llm", "tools", "prompts"]:
        assert command("eval", action, "--profile", "everything") == 2, action
        assert "--profile names 'everything'; known: core, match, decide, catalog, full" in command.err, action


def test_the_shipped_prompts_are_those_for_the_tools_that_can_be_called() -> None:
    cases: list[tuple[Start, list[str]]] = [
        (Start(), CORE),
        (Start(profile=parse_profile("full")), NINE),
        (Start(dynamic=True), [tool.name for tool in TOOLS]),
    ]
    for start, tools in cases:
        suite = chosen_suite(None, start)
        assert reachable_tools(start) == tools, start
        assert {prompt.expected_tool for prompt in suite.prompts} == {None, *tools}, start


def test_the_prompts_are_those_of_the_tools_or_of_the_file(tmp_path: Path) -> None:
    assert chosen_suite(None, Start(full_wire=True)) == read_suite()
    path = tmp_path / "prompts.json"
    path.write_text('{"prompts": [{"input": "which?", "expectedTool": "recommend_agent"}]}', encoding="utf-8")
    assert chosen_suite(path, Start()).inputs == chosen_suite(path, Start(dynamic=True)).inputs == ["which?"]


def test_prompts_are_printed_for_the_tools_of_a_start(command: Commands) -> None:
    assert command("eval", "prompts", "--json", "--dynamic-tools") == 0
    assert [line["input"] for line in command.objects()] == chosen_suite(None, Start(dynamic=True)).inputs


def test_a_model_gets_the_tools_of_the_start_and_can_call_what_it_loads(eval_llm: EvalLlm) -> None:
    load = ("load_family", {"family": "match"})
    undo = {"agent": "claude-code", "capability": "undo"}
    lookup = ("call_tool", {"name": "lookup_capability", "arguments": undo})
    eval_llm.server.script[INPUTS[0]] = [Say(calls=(load,)), Say(calls=(lookup,)), Say("Press escape twice.")]
    assert eval_llm("--dynamic-tools", "--json", "--concurrency", "1") == 0
    (report,) = eval_llm.command.objects()
    assert "smart_load" in json.dumps(eval_llm.server.requests[0].body["tools"])
    assert (report["start"], report["argumentAccuracy"], report["steps"]) == ("--dynamic-tools", 1.0, 1.5)


def test_a_recording_says_how_the_server_was_started(eval_llm: EvalLlm, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert eval_llm("--out", str(out), "--profile", "full", "--wire", "full") == 0
    assert {each.start for each in read_recordings(out)} == {"--profile full --wire full"}


def test_recordings_of_another_start_are_refused_before_anything_is_asked(eval_llm: EvalLlm, tmp_path: Path) -> None:
    out = str(tmp_path / "out.jsonl")
    eval_llm("--out", out)
    eval_llm.server.requests.clear()
    assert eval_llm("--out", out, "--dynamic-tools") == 2
    assert "holds recordings with the default tools, not with --dynamic-tools; a file holds" in eval_llm.command.err
    assert eval_llm.server.requests == []


def test_recordings_of_a_start_are_taken_up_by_the_same_start_only(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    recording = Recording(input="asked", start="--profile full")
    out.write_text(recording.to_line() + "\n", encoding="utf-8")
    with open_recording_log(out, None, "--profile full") as log:
        assert log.kept == {"asked": recording}
    with pytest.raises(CallerError, match="recordings with --profile full, not with the default tools"):
        open_recording_log(out, None).__enter__()


def test_a_start_is_named_by_its_options() -> None:
    cases: list[tuple[Start, str | None]] = [
        (Start(), None),
        (Start(profile=parse_profile("match,catalog")), "--profile match,catalog"),
        (
            Start(profile=parse_profile("full"), dynamic=True, full_wire=True),
            "--profile full --dynamic-tools --wire full",
        ),
    ]
    for start, label in cases:
        assert start_label(start) == label, start


@pytest.mark.anyio
async def test_what_one_prompt_loads_is_not_loaded_for_the_next(service: Service) -> None:
    async with connect(service, Start(dynamic=True)) as runner:
        await runner.call("load_family", {"family": "catalog"})
        again = await runner.call("catalog_status", {})
        through = await runner.call("call_tool", {"name": "catalog_status"})
    assert (again.is_error, through.is_error) == (True, False)
