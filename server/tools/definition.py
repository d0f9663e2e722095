"""The definition of a tool: the value `TOOL` that a tool's module, here or in `meta`, exports."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from server.catalog.plans import OPENERS, TIERS
from server.catalog.safe_text import LONGEST_LIST, LONGEST_NAME
from server.errors import invalid_arguments
from server.schema import trimmed, wire_schema, with_known_values
from server.tools.answers import Answer

Name = Annotated[str, Field(max_length=LONGEST_NAME)]
"""An argument that names something in the catalog or the server, where no name is longer than this limit."""

Plan = Annotated[Name, Field(json_schema_extra={"enum": list(TIERS)})]
"""An argument that names a plan: callers are told the names in lower case, and any case is understood."""

ACCESS_NAMES: Final = f"{', '.join(OPENERS)}; commas between several"
"""What an argument `access` can name, in any case; it is a text, as a list of them costs a model twice the tokens."""

KnownValues = Mapping[str, Sequence[str]]
"""Values by argument."""

MAX_KNOWN: Final = 40
"""Maximum known values that a schema shows for one argument."""

MAX_AGENTS: Final = LONGEST_LIST
"""Maximum number of agents that one call can name."""


class Request(BaseModel):
    """Base of request models. Unknown fields are ignored, and the advertised schema permits them."""

    # Built when first needed, so that a start does not wait for the models of tools that are not advertised.
    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)


@dataclass(frozen=True, kw_only=True)
class Tool(ABC):
    """One MCP tool of any kind: `ServiceTool`, `SessionTool` in `meta`, or `RemoteTool` in `remote`.

    Attributes:
        name: what callers call it by.
        title: for people.
        family: the group it is loaded with.
        description: all that a model sees before it calls.
        docs: the long explanation.
    """

    name: str
    title: str
    family: str
    description: str
    docs: str

    @property
    def own_name(self) -> str:
        """Its name within its family; callers may use it where only one of their tools is called so."""
        return self.name

    @property
    @abstractmethod
    def input_schema(self) -> dict[str, Any]:
        """JSON schema of the arguments, with descriptions and known values."""

    @property
    @abstractmethod
    def brief_schema(self) -> dict[str, Any]:
        """JSON schema of the arguments, as short as a caller can use it."""

    @property
    @abstractmethod
    def output_schema(self) -> dict[str, Any] | None:
        """JSON schema of the answer; None if the tool has none."""

    @property
    @abstractmethod
    def annotations(self) -> dict[str, Any]:
        """MCP's hints."""


@dataclass(frozen=True, kw_only=True)
class LocalTool(Tool):
    """A tool that this server runs itself. Its description has at most 50 cl100k tokens.

    Attributes:
        request: model of the arguments.
        answer: model of the answer.
        read_only: whether a call changes nothing, not even the session's list of tools.
        known_values: values of arguments that stand for an open set, which the advertised schema tells.
        structured: whether each result is an answer of that model; not if it can be that of a remote tool.
    """

    request: type[Request]
    answer: type[Answer]
    read_only: bool = True
    known_values: KnownValues = field(default_factory=dict, hash=False)
    structured: bool = True

    @property
    def input_schema(self) -> dict[str, Any]:
        """JSON schema of the arguments, with descriptions and known values."""
        return with_known_values(wire_schema(self.request), self.known_values)

    @property
    def brief_schema(self) -> dict[str, Any]:
        """JSON schema of the arguments, which describes only their known values."""
        return with_known_values(trimmed(wire_schema(self.request)), self.known_values)

    @property
    def output_schema(self) -> dict[str, Any] | None:
        """JSON schema of the answer. A client takes a result without structured content for a fault if there is one."""
        return wire_schema(self.answer, mode="serialization") if self.structured else None

    @property
    def annotations(self) -> dict[str, Any]:
        """All four MCP hints, written out; no tool here reaches outside the server or destroys anything."""
        return {
            "readOnlyHint": self.read_only,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        }


@dataclass(frozen=True, kw_only=True)
class ServiceTool(LocalTool):
    """A tool whose answer depends only on the catalog, not on the caller.

    Attributes:
        handler: makes the answer from the service, of the kind that the tool is for, and a request.
        known: finds the known values of arguments, such as the ids of agents, in the service.
    """

    handler: Callable[[Any, Any], Answer]
    known: Callable[[Any], KnownValues] | None = None

    def for_service(self, service: Any) -> Self:
        """Return the tool with the known values of a service."""
        if self.known is None:
            return self
        known = {name: values[:MAX_KNOWN] for name, values in self.known(service).items() if values}
        return replace(self, known_values=known)


def checked(tool: LocalTool, arguments: Mapping[str, Any]) -> Any:
    """Validate arguments, and return them as the tool's request.

    Raises:
        CallerError: the arguments do not fit the tool's schema or are too long.
    """
    try:
        return tool.request.model_validate(arguments)
    except ValidationError as error:
        raise invalid_arguments(tool.name, error) from error
