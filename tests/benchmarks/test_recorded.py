"""A language model's recorded calls, made again on the shipped server."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import anyio
import pytest
from jsonschema import Draft202012Validator

from benchmarks.recorded import DYNAMIC, NINE, RECORDINGS, RUNS, replayed, table
from server.evals.recording import Call, PromptResult
from server.evals.results import Metrics, Results
from server.evals.tool_runner import Outcome, ToolRunner, connect
from server.matching.service import Service
from server.toolset.start import Start

pytestmark = pytest.mark.measures

CORE: Final = {"four_tools": (0.935, 0.058), "four_tools_hurried": (0.903, 0.087)} | dict.fromkeys(
    ("nine_tools", "dynamic"), (0.957, 0.038)
)
"""Argument accuracy and retry rate when the calls were recorded."""
DRIFT: Final = 0.03
"""How much the figures may be worse: three prompts that the matcher has since decided otherwise."""
LARGEST: Final = 400_000
FOR_ALL_AGENTS: Final = "compare_capability"


@pytest.fixture(scope="module")
def scored(shipped_service: Service) -> Any:
    """Return the results of a file of recordings; each is replayed once."""
    return cache(lambda name: anyio.run(replayed, shipped_service, name))


def metrics(scored: Any, name: str) -> Metrics:
    results: Results = scored(name)
    return results.metrics


def test_every_recorded_prompt_is_scored(scored: Any) -> None:
    for name in RUNS:
        recorded = (RECORDINGS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        results: Results = scored(name)
        assert len(results.prompts) + len(results.scenarios) == len(recorded), name
        assert results.failures == [], name


def test_calls_are_no_worse_than_when_they_were_recorded(scored: Any) -> None:
    for name, (arguments, retries) in CORE.items():
        found = metrics(scored, name)
        assert (found.invocation_accuracy, found.reached) == (1.0, 1.0), name
        assert (found.argument_accuracy or 0) >= arguments - DRIFT, name
        assert 0 <= (found.retry_rate or 0) <= retries + DRIFT, name


def test_with_all_tools_listed_each_is_chosen_rightly(scored: Any) -> None:
    found = metrics(scored, "others_nine_tools")
    assert (found.invocation_accuracy, found.reached) == (1.0, 1.0)
    assert (found.argument_accuracy or 0) >= 0.85


def test_with_dynamic_tools_a_core_tool_is_often_tried_first(scored: Any) -> None:
    found = metrics(scored, "others_dynamic")
    assert (found.invocation_accuracy, found.reached) == (33 / 48, 28 / 41)
    assert (found.steps or 0) > 2


def test_the_files_are_small() -> None:
    assert sum(path.stat().st_size for path in RECORDINGS.iterdir()) < LARGEST


def test_the_table_has_a_row_for_each_run() -> None:
    figures: dict[str, float | None] = dict.fromkeys(
        ("invocationAccuracy", "argumentAccuracy", "retryRate", "reached", "settled"), 0.5
    )
    stored = {name: figures | {"prompts": 104, "steps": 1.25, "tokens": 1234.5, "settled": None} for name in RUNS}
    lines = table(stored).splitlines()
    assert len(lines) == 2 + len(RUNS)
    assert lines[2] == "| core prompts, default tools | 104 | 0.500 | 0.500 | 0.500 | 0.500 |  | 1.25 | 1,234 |"


def test_every_first_call_fits_the_schemas_or_is_refused_with_what_would_be_right(
    scored: Any, shipped_service: Service
) -> None:
    for name in RUNS:
        firsts = [result for result in scored(name).prompts if result.first is not None]
        wrong = anyio.run(_unhelpful, shipped_service, firsts)
        assert firsts, name
        assert wrong == [], name


async def _unhelpful(service: Service, results: list[PromptResult]) -> list[tuple[str, Call, str]]:
    """First calls that are answered against their schema, or refused without a word of what would be right."""
    everything = Start(profile=NINE.profile, dynamic=DYNAMIC.dynamic)
    found = []
    async with connect(service, everything) as runner:
        schemas = {tool.name: Draft202012Validator(tool.input_schema) for tool in runner.definitions}
        for result in results:
            call = result.first or Call(tool="")
            outcome = await runner.call(call.tool, call.arguments)
            fits = schemas[call.tool].is_valid(call.arguments)
            if not (_names_what_is_right(outcome, result, runner) if outcome.is_error else fits):
                found.append((result.prompt.input, call, outcome.text))
    return found


def _names_what_is_right(outcome: Outcome, result: PromptResult, runner: ToolRunner) -> bool:
    """Return whether an error names an expected value that the call lacks.

    For a wrong tool, it names the right one; without arguments, it may name every agent and the tool for all of them.
    """
    right = result.prompt.right_calls
    arguments = result.first.arguments if result.first else {}
    if not result.right_tool:
        ways = all(text in outcome.text for text in (*runner.agents, FOR_ALL_AGENTS))
        return any((expected.tool or "") in outcome.text for expected in right) or (ways and not arguments)
    given = _strings(arguments)
    wanted = {value for expected in right for value in _strings(expected.args)} - given
    return any(value in outcome.text for value in wanted)


def _strings(arguments: Mapping[str, Any]) -> set[str]:
    """Return the strings of arguments and of the lists in them."""
    values = [value if isinstance(value, list) else [value] for value in arguments.values()]
    return {text for value in values for text in value if isinstance(text, str)}
