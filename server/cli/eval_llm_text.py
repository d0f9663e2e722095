"""The results of `eval llm` as text for a terminal."""

from collections.abc import Sequence
from typing import Final

from server.errors import brief
from server.evals.recording import PromptResult
from server.evals.reports import METRIC_NAMES, call_text, expected_text, message_text, metrics_row, title
from server.evals.results import Results
from server.output import bold, paragraph, table

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
        parts += ["", *_miss(result)]
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


def _miss(result: PromptResult) -> Sequence[str]:
    called = ", then ".join(call_text(call.tool, call.arguments) for call in result.recording.calls) or "no call"
    return [
        paragraph("asked", result.prompt.input),
        paragraph("expected", expected_text(result)),
        paragraph("called", called),
        *(paragraph(message.role, message_text(message)) for message in result.recording.messages[1:]),
    ]
