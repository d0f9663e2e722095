"""One prompt over the toy catalog, the calls that were made for it, and what the scoring makes of them."""

from typing import Any

from server.evals.prompts import Prompt, Suite
from server.evals.recording import Call, PromptResult, Recording
from server.evals.scoring import score
from server.evals.tool_runner import connect
from server.matching.service import Service

LOOKUP, COMPARE, LIST, SOURCES = "lookup_capability", "compare_capability", "list_capabilities", "get_sources"
UNDO = {"agent": "claude-code", "capability": "Checkpoints"}
AMBIGUOUS = {"agent": "claude-code", "capability": "history"}
NO_MATCH = {"agent": "claude-code", "capability": "zzz qqq"}
ERROR = {"agent": "nobody", "capability": "Checkpoints"}

Made = tuple[str, Any]
"""A tool and its arguments."""


def prompt(tool: str | None = LOOKUP, args: dict[str, Any] | None = None, *alternatives: Made) -> Prompt:
    others = [{"tool": name, "args": given} for name, given in alternatives]
    expected = (UNDO if tool else {}) if args is None else args
    return Prompt.model_validate(
        {"input": "asked", "expectedTool": tool, "expectedArgs": expected, "alternatives": others}
    )


async def judge(service: Service, expected: Prompt, *calls: Made) -> PromptResult:
    made = tuple(Call(tool=tool, arguments=arguments) for tool, arguments in calls)
    recording = Recording(input=expected.input, calls=made)
    async with connect(service) as runner:
        (result,) = (await score(Suite(prompts=(expected,)), [recording], runner)).prompts
    return result
