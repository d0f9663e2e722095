"""`call_tool`: run any permitted tool, loaded or not."""

from typing import Annotated, Any

from pydantic import Field

from server.answers import Answer
from server.caller import Caller
from server.errors import CallerError
from server.tools.definition import Request, Tool, run
from server.tools.families import META


class CallToolRequest(Request):
    """Arguments of `call_tool`."""

    name: Annotated[str, Field(description="a tool's name")]
    arguments: Annotated[dict[str, Any], Field(description="its arguments")] = Field(default_factory=dict)


class AnyAnswer(Answer):
    """The called tool's own answer, whatever it is."""


def call_tool(caller: Caller, request: CallToolRequest) -> Answer:
    """Run another tool as if it had been called by its name."""
    tool = caller.find(request.name)
    if tool.name == TOOL.name:
        raise CallerError("call_tool was to call itself; it calls other tools; call one of those, by its name")
    return run(tool, caller, request.arguments)


TOOL = Tool(
    name="call_tool",
    title="Call any tool",
    family=META,
    description="Run any tool of this server by name, loaded or not; answers as that tool does.",
    docs=(
        "Give the tool's name and its arguments as an object; capabilities and load_family show both. It reaches every "
        "tool that the caller may use, also where the list of tools does not change or the client does not look again."
    ),
    request=CallToolRequest,
    answer=AnyAnswer,
    handler=call_tool,
    read_only=False,
)
