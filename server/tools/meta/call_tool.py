"""`call_tool`: run any permitted tool, loaded or not."""

from typing import Annotated, Any

from pydantic import Field

from server.errors import CallerError
from server.tools.answers import Answer
from server.tools.definition import Name, Request
from server.tools.families import META
from server.tools.meta.session import Outcome, Session, SessionTool


class CallToolRequest(Request):
    """Arguments of `call_tool`."""

    name: Annotated[Name, Field(description="a tool's name")]
    arguments: Annotated[dict[str, Any], Field(description="its arguments")] = Field(default_factory=dict)


class AnyAnswer(Answer):
    """The answer of the called tool, of any shape."""


def call_tool(session: Session, request: CallToolRequest) -> Outcome:
    """Run another tool as if it had been called by its name."""
    if request.name == TOOL.name:
        raise CallerError("call_tool was asked to call itself; it runs only other tools; give another tool's name")
    return session.call(request.name, request.arguments)


TOOL = SessionTool(
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
