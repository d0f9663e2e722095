"""The real server, in this process, called over MCP as any client calls it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent

from server.mcp_server import build_server
from server.service import Service

UNRESOLVED = ("ambiguous", "no_match")


@dataclass(frozen=True)
class Outcome:
    """What the server made of a call.

    Attributes:
        text: what a model reads.
        failed: the call was an error.
        answer: the structured answer; empty for an error.
    """

    text: str
    failed: bool
    answer: dict[str, Any]

    @property
    def unresolved(self) -> bool:
        """Whether the caller has to try again: an error, or a phrase that was not resolved."""
        return self.failed or self.answer.get("decision") in UNRESOLVED


@dataclass(frozen=True)
class Definition:
    """A tool as a model receives it."""

    name: str
    description: str
    input_schema: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """JSON value, as `tools/list` names its parts."""
        return {"name": self.name, "description": self.description, "inputSchema": self.input_schema}


class ToolRunner:
    """A connection to the server."""

    def __init__(self, client: Client, definitions: list[Definition], agents: list[str]) -> None:
        """Use `connected`."""
        self._client = client
        self.definitions = definitions
        self.agents = agents

    async def call(self, tool: str, arguments: Any) -> Outcome:
        """Run one call; what is not an object of arguments is told as a model would be told."""
        if not isinstance(arguments, dict):
            return Outcome(f"the arguments of {tool} are not a JSON object; call again with one", True, {})
        try:
            result = await self._client.call_tool(tool, arguments)
        except MCPError as error:
            return Outcome(error.error.message, True, {})
        except (ValueError, RecursionError):
            return Outcome(f"the arguments of {tool} cannot be sent as JSON; call again with plainer ones", True, {})
        text = "".join(part.text for part in result.content if isinstance(part, TextContent))
        return Outcome(text, bool(result.is_error), dict(result.structured_content or {}))


@asynccontextmanager
async def connected(service: Service) -> AsyncIterator[ToolRunner]:
    """Connect to a server of the service, started as it is by default."""
    async with Client(build_server(service)) as client:
        listed = (await client.list_tools()).tools
        definitions = [Definition(tool.name, tool.description or "", tool.input_schema) for tool in listed]
        yield ToolRunner(client, definitions, list(service.catalog.agents))


def as_json(value: object) -> str:
    """Compact JSON, as it is counted in tokens."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
