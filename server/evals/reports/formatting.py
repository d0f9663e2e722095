"""How reports for people write metrics, tool calls and messages."""

from typing import Any

from server.evals.formats.recording import Message
from server.evals.formats.results import Metrics, PromptResult


def share(value: float | None) -> str:
    """A share as a percentage; a dash if there is none."""
    return "-" if value is None else f"{value:.1%}"


def metrics_row(name: str, metrics: Metrics) -> list[str]:
    """The metrics of a stratum as cells of a table."""
    values = (metrics.invocation_accuracy, metrics.argument_accuracy, metrics.retry_rate, metrics.token_ratio)
    return [name, str(metrics.prompts), *map(share, values)]


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
