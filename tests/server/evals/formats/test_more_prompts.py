"""The shipped prompts for the tools beyond the core."""

from collections import Counter
from typing import Any

import pytest

from server.evals.evaluate import MORE_PROMPTS_FILE
from server.evals.prompts import ExpectedCall, read_suite
from server.evals.recording import Call
from server.evals.scoring import as_expected, understood_arguments
from server.evals.tool_runner import connect
from server.matching.service import Service
from server.paths import shipped_data
from server.toolset.registry import TOOLS
from server.toolset.start import Start
from tests.server.evals.formats.test_shipped_prompts import SUITE as CORE
from tests.server.evals.formats.test_shipped_prompts import near_built_in, not_in_one_statement

SUITE = read_suite(shipped_data() / MORE_PROMPTS_FILE)


def arguments(expected: ExpectedCall) -> dict[str, Any]:
    """Return the call in canonical names.

    A prompt's expected capability or family is not itself an argument of these.
    """
    args: dict[str, Any] = dict(expected.args)
    if expected.tool == "match_capability":
        return {"phrase": args.pop("capability")} | args
    return {"intent": args["family"]} if expected.tool == "smart_load" else args


def test_every_tool_is_asked_for_those_beyond_the_core_three_times() -> None:
    counts = Counter(prompt.expected_tool for prompt in SUITE.prompts)
    assert {tool.name: counts[tool.name] for tool in TOOLS if tool.family != "core" and counts[tool.name] < 3} == {}
    assert {tool.name for tool in TOOLS} <= {prompt.expected_tool for prompt in SUITE.prompts}


def test_some_prompts_are_for_no_tool() -> None:
    none = [prompt for prompt in SUITE.prompts if prompt.expected_tool is None]
    assert len(none) >= 8
    assert none == [prompt for prompt in SUITE.prompts if prompt.stratum == "none"]


@pytest.mark.measures
def test_no_prompt_is_one_of_the_core_or_near_a_phrase_that_is_built_in() -> None:
    assert set(SUITE.inputs).isdisjoint(CORE.inputs)
    assert near_built_in(SUITE) == {}


def test_what_settles_a_prompt_stands_in_one_statement_of_an_entry_that_it_asks_for() -> None:
    assert not_in_one_statement(SUITE) == []


@pytest.mark.anyio
async def test_every_right_call_in_canonical_names_is_understood_as_expected(shipped_service: Service) -> None:
    wrong = []
    async with connect(shipped_service, Start(dynamic=True)) as runner:
        for prompt in SUITE.prompts:
            for expected in prompt.right_calls:
                if expected.tool in (None, "call_tool"):
                    continue
                call = Call(tool=str(expected.tool), arguments=arguments(expected))
                outcome = await runner.call("call_tool", {"name": call.tool, "arguments": call.arguments})
                if not as_expected(understood_arguments(call, outcome, runner.agents), expected, runner.agents):
                    wrong.append((prompt.input, expected, outcome.text))
    assert wrong == []
