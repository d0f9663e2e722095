"""The calls of a conversation as they are scored: the same whether made by name or through `call_tool`."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from server.evals.formats.recording import Call
from server.evals.tool_runner import Outcome

LOADS: Final = frozenset({"capabilities", "load_family", "smart_load"})
"""Tools that only describe or load other tools: a step on the way, not a first call, unless the prompt asks for one."""

CALL_TOOL: Final = "call_tool"


@dataclass(frozen=True)
class Step:
    """One call and its answer.

    Attributes:
        call: the call, or the one that it ran through `call_tool`.
        outcome: the server's answer.
        counts: whether it can be the first call; loads cannot.
    """

    call: Call
    outcome: Outcome
    counts: bool

    @property
    def tool(self) -> str:
        """The tool that the step counts as a call of."""
        return self.call.tool


def steps_of(calls: Sequence[Call], outcomes: Sequence[Outcome], expected: Collection[str | None]) -> list[Step]:
    """The steps of a conversation, in order.

    Args:
        calls: every call.
        outcomes: the answer to each.
        expected: the tools that the prompt asks for. A call of one of them counts as it stands.
    """
    found = []
    for call, outcome in zip(calls, outcomes, strict=True):
        asked_for = call.tool in expected
        counted = call if asked_for else _run_through(call)
        found.append(Step(counted, outcome, asked_for or counted.tool not in LOADS))
    return found


def _run_through(call: Call) -> Call:
    """The call that `call_tool` was asked to make; any other call as it is."""
    if call.tool != CALL_TOOL or not isinstance(call.arguments, dict):
        return call
    name, arguments = call.arguments.get("name"), call.arguments.get("arguments", {})
    return Call(tool=name, arguments=arguments) if isinstance(name, str) else call
