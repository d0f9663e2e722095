"""A tool that another server runs, and a call of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from server.tools.definition import Tool
from server.tools.remote_arguments import ArgumentCheck

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import CallToolResult, InputRequiredResult
    from mcp_types import Tool as WireTool

    Context = ServerRequestContext[Any, Any]
    Result = CallToolResult | InputRequiredResult


@dataclass(frozen=True, kw_only=True, eq=False)
class RemoteTool(Tool):
    """A tool of another server. What it says of itself is passed on as it is, but for its name.

    Attributes:
        tool: the tool as its server describes it, under its own name.
        handler: calls it with arguments that were checked, for a request; the result is passed on whole. It may raise
            `MCPError`, `CallerError` or `UnavailableToolError`, which the caller gets.
    """

    tool: "WireTool"
    handler: "Callable[[Context, dict[str, Any]], Awaitable[Result]]"

    @classmethod
    def of(
        cls,
        name: str,
        family: str,
        tool: "WireTool",
        handler: "Callable[[Context, dict[str, Any]], Awaitable[Result]]",
        docs: str = "",
    ) -> Self:
        """Return the tool under the name that callers of this server use."""
        hints = tool.annotations
        return cls(
            name=name,
            title=tool.title or (hints.title if hints else None) or "",
            family=family,
            description=tool.description or "",
            docs=docs,
            tool=tool,
            handler=handler,
        )

    @property
    def own_name(self) -> str:
        """Name that its server uses."""
        return self.tool.name

    @property
    def input_schema(self) -> dict[str, Any]:
        """Its server's JSON schema of the arguments."""
        return self.tool.input_schema

    @property
    def brief_schema(self) -> dict[str, Any]:
        """The same: how the arguments are to be filled may stand in their descriptions alone."""
        return self.tool.input_schema

    @property
    def output_schema(self) -> dict[str, Any] | None:
        """Its server's JSON schema of the structured result."""
        return self.tool.output_schema

    @cached_property
    def annotations(self) -> dict[str, Any]:
        """The hints that its server gives."""
        hints = self.tool.annotations
        return hints.model_dump(by_alias=True, exclude_none=True) if hints else {}

    @cached_property
    def listed(self) -> "WireTool":
        """The tool as `tools/list` shows it."""
        return self.tool.model_copy(update={"name": self.name})

    @cached_property
    def _check(self) -> ArgumentCheck:
        return ArgumentCheck(self.tool.input_schema)

    def prepared(self, arguments: dict[str, Any]) -> "RemoteCall":
        """Return a call with arguments that fit the tool's schema, as far as can be told here.

        Raises:
            CallerError: the arguments do not fit.
        """
        self._check.check(self.name, arguments)
        return RemoteCall(self, arguments)


@dataclass(frozen=True)
class RemoteCall:
    """A call that is ready to be sent to the tool's server.

    Attributes:
        tool: what is called.
        arguments: with what.
    """

    tool: RemoteTool
    arguments: dict[str, Any]

    async def send(self, context: "Context") -> "Result":
        """Return the tool's result for the request of `context`, through which progress and questions go back."""
        return await self.tool.handler(context, self.arguments)


@dataclass(frozen=True)
class Outage:
    """A server, or one of its tools, that is not ready.

    Attributes:
        kind: in a word, for programs: connecting, down, unauthorized.
        since: when it began.
        why: in words, if that is known.
        next_step: what a caller can do.
    """

    kind: str
    since: datetime
    why: str = ""
    next_step: str = "call again later"

    def __str__(self) -> str:
        since = self.since.isoformat(timespec="seconds")
        return f"{self.kind} since {since}" + (f" ({self.why})" if self.why else "")
