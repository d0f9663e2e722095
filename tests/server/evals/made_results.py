"""Results made up by hand, which no server or matcher has a part in."""

from typing import Any, Final

from server.evals.prompts import Prompt
from server.evals.recording import Call, Message, PromptResult, Recording
from server.evals.results import Results, ScenarioResult

CALL: Final = Call(tool="lookup_capability", arguments={"agent": "claude-code", "capability": "Vision"})


def result(
    text: str,
    *calls: Call,
    right_tool: bool = True,
    right_arguments: bool | None = True,
    retried: bool = False,
    settled: bool | None = None,
    stratum: str = "named",
    **recorded: Any,
) -> PromptResult:
    tool = None if right_arguments is None else "lookup_capability"
    args = {} if right_arguments is None else {"agent": "claude-code", "capability": "Vision"}
    settles = [] if settled is None else ["sees pictures"]
    prompt = {"input": text, "stratum": stratum, "expectedTool": tool, "expectedArgs": args, "settles": settles}
    return PromptResult(
        prompt=Prompt.model_validate(prompt),
        recording=Recording(input=text, calls=calls, **recorded),
        first=calls[0] if calls else None,
        right_tool=right_tool,
        right_arguments=right_arguments,
        retried=retried,
        reached=None if right_arguments is None else right_tool,
        settled=settled,
        understood={"answered": True, "agent": "claude-code"} if calls else {},
    )


def made() -> Results:
    """Four prompts (right, wrong arguments after a retry, wrong tool, rightly no call), two scenarios, one unasked."""
    listed = Call(tool="list_capabilities", arguments={"agent": "claude-code"})
    messages = (
        Message(role="user", text="sees pictures?"),
        Message(role="assistant", text="I'll look.", calls=(CALL,)),
        Message(role="tool", text="unknown agent"),
    )
    return Results(
        prompts=[
            result("right", CALL, settled=True, tokens_in=90, tokens_out=10),
            result(
                "half right",
                CALL,
                CALL,
                right_arguments=False,
                retried=True,
                settled=False,
                tokens_in=40,
                tokens_out=10,
                messages=messages,
            ),
            result(
                "wrong", listed, right_tool=False, right_arguments=False, stratum="vague", tokens_in=10, tokens_out=0
            ),
            result("quiet", right_arguments=None, stratum="vague", ending="refused", tokens_in=40, tokens_out=0),
        ],
        scenarios=[ScenarioResult("tour", 3, 1, 2), ScenarioResult("visit", 1, 1, 1)],
        missing=["never asked"],
        baseline={"right": 100, "half right": 100, "wrong": 100, "quiet": 100},
    )
