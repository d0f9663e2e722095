"""Reports on the results of an evaluation: JSON, and text for a terminal."""

from collections.abc import Sequence
from typing import Any, Final

from server.errors import brief
from server.evals.recording import Message, PromptResult
from server.evals.results import Metrics, Results, ScenarioResult
from server.output import bold, paragraph, table

METRIC_NAMES: Final = (
    "prompts",
    "invocation",
    "arguments",
    "retries",
    "of baseline",
    "reached",
    "settled",
    "steps",
    "tokens",
)
"""Heads of the columns of `metrics_row`, after the stratum's name."""


def title(model: str, results: Results) -> str:
    """Return who was evaluated, and the options of the server if they are not the default ones."""
    return f"{model}, {results.start}" if results.start else model


def share(value: float | None) -> str:
    """Return a share as a percentage; a dash if there is none."""
    return "-" if value is None else f"{value:.1%}"


def metrics_row(name: str, metrics: Metrics) -> list[str]:
    """Return the metrics of a stratum as cells of a table."""
    shares = (
        metrics.invocation_accuracy,
        metrics.argument_accuracy,
        metrics.retry_rate,
        metrics.token_ratio,
        metrics.reached,
        metrics.settled,
    )
    counts = [_count(metrics.steps, 1), _count(metrics.tokens, 0)]
    return [name, str(metrics.prompts), *map(share, shares), *counts]


def _count(value: float | None, digits: int) -> str:
    """Return a mean with so many digits after the point; a dash if there is none."""
    return "-" if value is None else f"{value:.{digits}f}"


def call_text(tool: str, arguments: Any) -> str:
    """Return a tool call in the form of a function call."""
    if not isinstance(arguments, dict):
        return f"{tool}({arguments!r})"
    return f"{tool}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})" if arguments else tool


def expected_text(result: PromptResult) -> str:
    """Return every call that would have been right."""
    return " or ".join(call_text(each.tool or "no call", each.args) for each in result.prompt.right_calls)


def message_text(message: Message) -> str:
    """Return the words of a message, then the calls in it."""
    said = [message.text] if message.text else []
    return "\n".join([*said, *(call_text(call.tool, call.arguments) for call in message.calls)]) or "(nothing)"


def to_json(model: str, results: Results) -> dict[str, Any]:
    """Return the JSON value; the metrics come first."""
    return results.metrics.to_dict() | {
        "model": model,
        **({"start": results.start} if results.start else {}),
        "strata": {name: metrics.to_dict() for name, metrics in results.strata.items()},
        "confusion": [
            {"expected": expected, "called": called, "prompts": count}
            for (expected, called), count in results.confusion.items()
        ],
        "scenarios": [_scenario(each) for each in results.scenarios],
        "misses": [_miss(result) for result in results.misses],
        "unsettled": [
            {"input": result.prompt.input, "settles": list(result.prompt.settles)} for result in results.unsettled
        ],
        "failed": [{"input": recording.input, "error": recording.error or ""} for recording in results.failures],
        "missing": list(results.missing),
    }


def _scenario(scenario: ScenarioResult) -> dict[str, Any]:
    return {
        "name": scenario.name,
        "calls": scenario.calls,
        "expected": [scenario.min_calls, scenario.max_calls],
        "within": scenario.within,
    }


def _miss(result: PromptResult) -> dict[str, Any]:
    return {
        "input": result.prompt.input,
        "stratum": result.prompt.stratum,
        "expected": [expected.model_dump(mode="json") for expected in result.prompt.right_calls],
        "calls": [call.model_dump(mode="json") for call in result.recording.calls],
        "ending": result.recording.ending,
        "messages": [message.model_dump(mode="json") for message in result.recording.messages],
        "understood": {name: value for name, value in result.understood.items() if name != "answered"},
    }


MISSES_SHOWN: Final = 10
"""Misses that the text shows; more would push the tables off the screen. JSON has all of them."""


def to_text(model: str, results: Results) -> str:
    """Tables, then the first misses with their transcripts."""
    strata = {"all": results.metrics} | results.strata
    confusion = [[expected, called, str(count)] for (expected, called), count in results.confusion.items()]
    parts = [
        bold(title(model, results)),
        table(("", *METRIC_NAMES), [metrics_row(name, metrics) for name, metrics in strata.items()]),
    ]
    parts += ["", table(["expected", "called", "prompts"], confusion)]
    if results.scenarios:
        parts += ["", _scenarios(results)]
    for result in results.misses[:MISSES_SHOWN]:
        parts += ["", *_told_miss(result)]
    if results.unsettled:
        first = brief(results.unsettled[0].prompt.input)
        parts += ["", f"{len(results.unsettled)} prompts were not settled by an answer, the first: {first}"]
    if results.failures:
        first = results.failures[0].error or "the recording does not say why"
        parts += ["", f"{len(results.failures)} prompts failed, the first with: {first}"]
    if results.missing:
        parts += ["", f"{len(results.missing)} prompts were not recorded and are not counted."]
    return "\n".join(parts)


def _scenarios(results: Results) -> str:
    rows = [
        [each.name, str(each.calls), f"{each.min_calls} to {each.max_calls}", "yes" if each.within else "no"]
        for each in results.scenarios
    ]
    return table(["scenario", "calls", "expected", "within"], rows)


def _told_miss(result: PromptResult) -> Sequence[str]:
    called = ", then ".join(call_text(call.tool, call.arguments) for call in result.recording.calls) or "no call"
    return [
        paragraph("asked", result.prompt.input),
        paragraph("expected", expected_text(result)),
        paragraph("called", called),
        *(paragraph(message.role, message_text(message)) for message in result.recording.messages[1:]),
    ]
