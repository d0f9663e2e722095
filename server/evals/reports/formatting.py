"""How reports for people write metrics, tool calls and messages."""

from typing import Any, Final

from server.evals.formats.metrics import Metrics
from server.evals.formats.prompt_result import PromptResult
from server.evals.formats.recording import Message
from server.evals.formats.results import Results

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
    """Who was evaluated, and the options of the server if they are not the default ones."""
    return f"{model}, {results.start}" if results.start else model


def share(value: float | None) -> str:
    """A share as a percentage; a dash if there is none."""
    return "-" if value is None else f"{value:.1%}"


def metrics_row(name: str, metrics: Metrics) -> list[str]:
    """The metrics of a stratum as cells of a table."""
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
    """A mean with so many digits after the point; a dash if there is none."""
    return "-" if value is None else f"{value:.{digits}f}"


def call_text(tool: str, arguments: Any) -> str:
    """A tool call in the form of a function call."""
    if not isinstance(arguments, dict):
        return f"{tool}({arguments!r})"
    return f"{tool}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})" if arguments else tool


def expected_text(result: PromptResult) -> str:
    """Every call that would have been right."""
    return " or ".join(call_text(each.tool or "no call", each.args) for each in result.prompt.right_calls)


def message_text(message: Message) -> str:
    """The words of a message, then the calls in it."""
    said = [message.text] if message.text else []
    return "\n".join([*said, *(call_text(call.tool, call.arguments) for call in message.calls)]) or "(nothing)"
