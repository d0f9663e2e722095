"""How one prompt went."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from server.evals.formats.prompts import Prompt
from server.evals.formats.recording import Call, Recording

NO_CALL: Final = "no call"
"""Shown in reports instead of a tool if none was called or expected."""


@dataclass(frozen=True, kw_only=True)
class PromptResult:
    """How one prompt went.

    Attributes:
        first: the first call, loads apart, or the one that it ran through `call_tool`; None if there is none.
        right_tool: the first call names an expected tool, or there is no call and none is expected.
        right_arguments: the tool is right, and the server understood its arguments as expected; None if no tool is
            expected.
        retried: a tool was called again after an error or an answer that was not resolved.
        reached: an expected tool was called at some point; None if no tool is expected.
        settled: the answers contain what settles the prompt; None if no statement of the catalog does.
        understood: what the server took the first call's arguments to mean.
    """

    prompt: Prompt
    recording: Recording
    first: Call | None
    right_tool: bool
    right_arguments: bool | None
    retried: bool
    reached: bool | None
    settled: bool | None
    understood: Mapping[str, Any]

    @property
    def called(self) -> str:
        """The tool of the first call."""
        return self.first.tool if self.first else NO_CALL

    @property
    def steps(self) -> int | None:
        """The calls until the answer, loads included; None if no tool is expected."""
        return None if self.prompt.expected_tool is None else len(self.recording.calls)
