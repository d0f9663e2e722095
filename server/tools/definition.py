"""What a tool is: one value that a module of this folder exports."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from server.answers import Answer
from server.errors import invalid_arguments
from server.service import Service

if TYPE_CHECKING:
    from server.caller import Caller

Handler = Callable[["Caller", Any], Answer]


class Request(BaseModel):
    """Base of request models. Unknown fields are tolerated, as the advertised schema says."""

    # Built when first needed: a server starts without the models of tools that it does not advertise.
    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)


@dataclass(frozen=True)
class Tool:
    """One MCP tool.

    Attributes:
        name: as it is called.
        title: for people.
        family: the group it is loaded with.
        description: at most 50 cl100k tokens; all that a model sees before it calls.
        docs: the long explanation.
        request: model of the arguments.
        answer: model of the answer.
        handler: from the caller and a request to the answer.
        read_only: whether a call leaves everything as it is, the session's own list of tools included.
    """

    name: str
    title: str
    family: str
    description: str
    docs: str
    request: type[Request]
    answer: type[Answer]
    handler: Handler
    read_only: bool = True

    @property
    def annotations(self) -> dict[str, bool]:
        """All four MCP hints, written out; no tool here reaches outside or destroys anything."""
        return {
            "readOnlyHint": self.read_only,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        }


def from_service(answer: Callable[[Service, Any], Answer]) -> Handler:
    """The handler of a tool that needs to know nothing of its caller."""
    return lambda caller, request: answer(caller.service, request)


def run(tool: Tool, caller: "Caller", arguments: dict[str, Any]) -> Answer:
    """Check the arguments and answer.

    Raises:
        CallerError: the arguments are not of the tool's shape, or say what makes no sense.
    """
    try:
        request = tool.request.model_validate(arguments)
    except ValidationError as error:
        raise invalid_arguments(tool.name, error) from error
    return tool.handler(caller, request)
