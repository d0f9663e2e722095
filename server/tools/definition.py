"""What a tool is: one value that a module of this folder exports."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from server.answers import Answer
from server.service import Service


class Request(BaseModel):
    """Base of request models. Unknown fields are tolerated, as the advertised schema says."""

    model_config = ConfigDict(extra="ignore", frozen=True)


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
        handler: from a service and a request to the answer.
        annotations: hints for hosts; every tool here only reads its own catalog.
    """

    name: str
    title: str
    family: str
    description: str
    docs: str
    request: type[Request]
    answer: type[Answer]
    handler: Callable[[Service, Any], Answer]

    @property
    def annotations(self) -> dict[str, bool]:
        """All four MCP hints, written out."""
        return {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
