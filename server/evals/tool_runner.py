"""Runs the real server in this process, and calls it over MCP as any client does."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent

from server.matching.service import Service
from server.protocol.server import build_server
from server.providers.base import ToolDefinition
from server.toolset.start import Start, profile_of

UNRESOLVED: Final = ("ambiguous", "no_match")
"""Decisions after which a caller has to try again, if the answer has nothing else."""

_ANSWERED: Final = {"answer", "comparison"}
"""Fields of an answer with facts, whatever its decision."""


@dataclass(frozen=True)
class Outcome:
    """The server's answer to a call.

    Attributes:
        text: what a model reads.
        is_error: the call failed.
        answer: the structured answer; empty for an error.
    """

    text: str
    is_error: bool
    answer: dict[str, Any]

    @property
    def unresolved(self) -> bool:
        """Whether the caller has to try again: an error, or a phrase that was not resolved, one of several included.

        A phrase that is ambiguous between two questions of a capability is answered all the same.
        """
        needs = self.answer.get("understood")
        phrases = (self.answer, *(needs if isinstance(needs, list) else ()))
        return self.is_error or any(
            phrase.get("decision") in UNRESOLVED and not _ANSWERED & phrase.keys() for phrase in phrases
        )


class ToolRunner:
    """A connection to the server.

    Attributes:
        definitions: the tools as a model receives them.
        agents: ids of all agents.
        start: options with which the server was started; None for the default ones.
    """

    def __init__(
        self, client: Client, definitions: list[ToolDefinition], agents: list[str], start: str | None = None
    ) -> None:
        """Not to be called directly; use `connect`."""
        self._client = client
        self.definitions = definitions
        self.agents = agents
        self.start = start

    async def call(self, tool: str, arguments: Any) -> Outcome:
        """Run one call. Arguments that are not an object give an error that a model can act on."""
        if not isinstance(arguments, dict):
            return Outcome(
                f"the arguments of {tool} are not a JSON object; arguments must be an object; call again with one",
                True,
                {},
            )
        try:
            result = await self._client.call_tool(tool, arguments)
        except MCPError as error:
            return Outcome(error.error.message, True, {})
        except (ValueError, RecursionError):
            return Outcome(f"the arguments of {tool} cannot be sent as JSON; call again with simpler ones", True, {})
        text = "".join(part.text for part in result.content if isinstance(part, TextContent))
        return Outcome(text, bool(result.is_error), dict(result.structured_content or {}))


@asynccontextmanager
async def connect(service: Service, start: Start | None = None) -> AsyncIterator[ToolRunner]:
    """Start a server of the service, and connect to it under the newest protocol.

    There a list of tools never changes, so what one prompt loads is not loaded for the next.
    """
    async with Client(build_server(service, start=start)) as client:
        listed = (await client.list_tools()).tools
        definitions = [ToolDefinition(tool.name, tool.description or "", tool.input_schema) for tool in listed]
        yield ToolRunner(client, definitions, list(service.catalog.agents), start_label(start or Start()))


def start_label(start: Start) -> str | None:
    """Return the options with which `serve` starts so; None for the default start."""
    options = [f"--profile {start.profile.label}"] if start.profile != profile_of(()) else []
    options += ["--dynamic-tools"] if start.dynamic else []
    options += ["--wire full"] if start.full_wire else []
    return " ".join(options) or None
