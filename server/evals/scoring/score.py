"""Scores recordings: runs every call on the server and compares what the server understood with the expected call."""

from collections.abc import Iterable, Mapping, Sequence

from server.evals.formats.prompt_result import PromptResult
from server.evals.formats.prompts import Prompt, Suite
from server.evals.formats.recording import Recording
from server.evals.formats.results import Results, ScenarioResult
from server.evals.scoring.settling import settled
from server.evals.scoring.steps import Step, steps_of
from server.evals.scoring.understanding import as_expected, understood_arguments
from server.evals.tool_runner import ToolRunner


async def score(
    suite: Suite, recordings: Iterable[Recording], runner: ToolRunner, baseline: Mapping[str, int] | None = None
) -> Results:
    """Score recordings.

    Args:
        suite: the prompts and their expected calls.
        recordings: what callers did; prompts that are not in the suite are ignored.
        runner: the server that runs each call.
        baseline: tokens of the data files that answer each prompt, by its input; None gives no token ratio.
    """
    by_input = {recording.input: recording for recording in recordings}
    prompts = [
        await _score_prompt(prompt, by_input[prompt.input], runner)
        for prompt in suite.prompts
        if prompt.input in by_input
    ]
    scenarios = [
        ScenarioResult(scenario.name, len(by_input[scenario.input].calls), *scenario.calls)
        for scenario in suite.scenarios
        if scenario.input in by_input
    ]
    missing = [text for text in suite.inputs if text not in by_input]
    return Results(prompts, scenarios, missing, baseline or {}, runner.start)


async def _score_prompt(prompt: Prompt, recording: Recording, runner: ToolRunner) -> PromptResult:
    outcomes = [await runner.call(call.tool, call.arguments) for call in recording.calls]
    right_tools = {expected.tool for expected in prompt.right_calls}
    steps = steps_of(recording.calls, outcomes, right_tools)
    first = next((step for step in steps if step.counts), None)
    understood = understood_arguments(first.call, first.outcome, runner.agents) if first else {}
    tool = first.tool if first else None
    candidates = [expected for expected in prompt.right_calls if expected.tool == tool]
    completed = recording.ending != "failed"
    right_arguments = completed and any(
        tool is None or as_expected(understood, expected, runner.agents) for expected in candidates
    )
    expecting = prompt.expected_tool is not None
    return PromptResult(
        prompt=prompt,
        recording=recording,
        first=first.call if first else None,
        right_tool=completed and bool(candidates),
        right_arguments=right_arguments if expecting else None,
        retried=_retried(steps),
        reached=completed and any(step.tool in right_tools for step in steps) if expecting else None,
        settled=completed and settled(outcomes, prompt.settles) if prompt.settles else None,
        understood=understood,
    )


def _retried(steps: Sequence[Step]) -> bool:
    """Whether a tool is called again after it could not answer."""
    tools = [step.tool for step in steps]
    return any(step.outcome.unresolved and step.tool in tools[position + 1 :] for position, step in enumerate(steps))
