"""Scores made up by hand, which no server or matcher has a part in."""

from typing import Any, Final

from server.harness.prompts import Prompt
from server.harness.recording import Call, Exchange, Recording
from server.harness.scores import Judged, Scores, Steps

CALL: Final = Call(tool="lookup_capability", arguments={"agent": "claude-code", "capability": "Vision"})


def judged(
    text: str,
    *calls: Call,
    invoked: bool = True,
    resolved: bool | None = True,
    retried: bool = False,
    stratum: str = "named",
    **recorded: Any,
) -> Judged:
    tool = None if resolved is None else "lookup_capability"
    args = {} if resolved is None else {"agent": "claude-code", "capability": "Vision"}
    return Judged(
        prompt=Prompt.model_validate({"input": text, "stratum": stratum, "expectedTool": tool, "expectedArgs": args}),
        recording=Recording(input=text, calls=calls, **recorded),
        invoked=invoked,
        resolved=resolved,
        retried=retried,
        understood={"answered": True, "agent": "claude-code"} if calls else {},
    )


def made() -> Scores:
    """Four prompts (right, wrong arguments after a retry, wrong tool, rightly no call), two scenarios, one unasked."""
    listed = Call(tool="list_capabilities", arguments={"agent": "claude-code"})
    messages = (
        Exchange(role="user", text="sees pictures?"),
        Exchange(role="assistant", text="I'll look.", calls=(CALL,)),
        Exchange(role="tool", text="unknown agent"),
    )
    return Scores(
        judged=[
            judged("right", CALL, tokens_in=90, tokens_out=10),
            judged(
                "half right", CALL, CALL, resolved=False, retried=True, tokens_in=40, tokens_out=10, messages=messages
            ),
            judged("wrong", listed, invoked=False, resolved=False, stratum="vague", tokens_in=10, tokens_out=0),
            judged("quiet", resolved=None, stratum="vague", ending="refused", tokens_in=40, tokens_out=0),
        ],
        steps=[Steps("tour", 3, 1, 2), Steps("visit", 1, 1, 1)],
        missing=["never asked"],
        baseline={"right": 100, "half right": 100, "wrong": 100, "quiet": 100},
    )
