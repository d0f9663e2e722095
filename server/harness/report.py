"""A run's results as text and as JSON."""

from collections.abc import Sequence
from typing import Any, Final

from server.cli.output import bold, paragraph, table
from server.harness.recording import Exchange
from server.harness.scores import Figures, Judged, Scores

WORST_SHOWN: Final = 10
"""Misses that the text shows; JSON and HTML have all of them."""

_HEAD: Final = ("", "prompts", "invocation", "arguments", "retries", "tokens")


def to_json(model: str, scores: Scores) -> dict[str, Any]:
    """The JSON value: the four figures at the top."""
    return scores.figures.to_dict() | {
        "model": model,
        "strata": {name: figures.to_dict() for name, figures in scores.strata.items()},
        "confusion": [
            {"expected": expected, "called": called, "prompts": count}
            for (expected, called), count in scores.confusion.items()
        ],
        "scenarios": [
            {"name": each.name, "calls": each.calls, "expected": [each.least, each.most], "within": each.within}
            for each in scores.steps
        ],
        "misses": [_miss(judged) for judged in scores.misses],
        "failed": [{"input": recording.input, "error": recording.error or ""} for recording in scores.failures],
        "missing": list(scores.missing),
    }


def _miss(judged: Judged) -> dict[str, Any]:
    return {
        "input": judged.prompt.input,
        "stratum": judged.prompt.stratum,
        "expected": [expected.model_dump(mode="json") for expected in judged.prompt.right],
        "calls": [call.model_dump(mode="json") for call in judged.recording.calls],
        "ending": judged.recording.ending,
        "messages": [message.model_dump(mode="json") for message in judged.recording.messages],
        "understood": {name: value for name, value in judged.understood.items() if name != "answered"},
    }


def to_text(model: str, scores: Scores) -> str:
    """Tables and the worst misses, for people."""
    rows = [figure_row("all", scores.figures), *(figure_row(name, figures) for name, figures in scores.strata.items())]
    parts = [bold(model), table(_HEAD, rows)]
    confusion = [[expected, called, str(count)] for (expected, called), count in scores.confusion.items()]
    parts += ["", table(["expected", "called", "prompts"], confusion)]
    if scores.steps:
        steps = [
            [each.name, str(each.calls), f"{each.least} to {each.most}", "yes" if each.within else "no"]
            for each in scores.steps
        ]
        parts += ["", table(["scenario", "calls", "expected", "within"], steps)]
    for judged in scores.misses[:WORST_SHOWN]:
        parts += ["", *_miss_lines(judged)]
    if scores.failures:
        first = scores.failures[0].error or "the recording does not say why"
        parts += ["", f"{len(scores.failures)} prompts failed, the first with: {first}"]
    if scores.missing:
        parts += ["", f"{len(scores.missing)} prompts were not recorded and are not counted."]
    return "\n".join(parts)


def figure_row(name: str, figures: Figures) -> list[str]:
    """The figures of a stratum as cells of a table."""
    values = (figures.invocation_accuracy, figures.argument_accuracy, figures.retry_rate, figures.token_ratio)
    return [name, str(figures.prompts), *map(share, values)]


def share(value: float | None) -> str:
    """A share as people read it; a dash where there is none."""
    return "-" if value is None else f"{value:.1%}"


def _miss_lines(judged: Judged) -> Sequence[str]:
    expected = " or ".join(call_text(each.tool or "no call", each.args) for each in judged.prompt.right)
    called = ", then ".join(call_text(call.tool, call.arguments) for call in judged.recording.calls) or "no call"
    return [
        paragraph("asked", judged.prompt.input),
        paragraph("expected", expected),
        paragraph("called", called),
        *(paragraph(message.role, message_text(message)) for message in judged.recording.messages[1:]),
    ]


def message_text(message: Exchange) -> str:
    """What was said and called in one message."""
    said = [message.text] if message.text else []
    return "\n".join([*said, *(call_text(call.tool, call.arguments) for call in message.calls)]) or "(nothing)"


def call_text(tool: str, arguments: Any) -> str:
    """A call as people read it."""
    if not isinstance(arguments, dict):
        return f"{tool}({arguments!r})"
    return f"{tool}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})" if arguments else tool
