"""One tool of an upstream as the gateway offers it."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import mcp_types

from server.errors import brief
from server.gateway.tool_catalog.guards import guarded
from server.gateway.tool_catalog.names import gateway_names


def fingerprint(tool: mcp_types.Tool) -> str:
    """Hex sha256 of all that a tool says of itself, as the upstream gave it: names, texts, schemas, annotations."""
    hints = tool.annotations.model_dump(exclude_none=True) if tool.annotations else None
    return digest([tool.name, tool.title, tool.description, tool.input_schema, tool.output_schema, hints])


def digest(value: Any) -> str:
    """Hex sha256 of a JSON value; the order of keys does not count."""
    found = hashlib.sha256()
    # A stack instead of recursion: an upstream may nest a schema deeper than Python can recurse.
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            found.update(b"{%d" % len(item))
            for key in sorted(item, key=str):
                waiting += [item[key], str(key)]
        elif isinstance(item, list | tuple):
            found.update(b"[%d" % len(item))
            waiting += item
        else:
            text = (item if isinstance(item, str) else repr(item)).encode("utf-8", "surrogatepass")
            found.update(b"%s%d:" % (b"s" if isinstance(item, str) else b"v", len(text)))
            found.update(text)
    return found.hexdigest()


class Offered(Protocol):
    """What can be found by name and by meaning: a tool, or a skill."""

    @property
    def server(self) -> str:
        """The upstream that has it."""

    @property
    def own_name(self) -> str:
        """Its name there."""

    @property
    def name(self) -> str:
        """What the gateway calls it; the id of its label."""


@dataclass(frozen=True)
class GatewayTool:
    """A tool of an upstream.

    Attributes:
        server: the upstream, as the configuration calls it.
        own_name: the tool's name exactly as the upstream gave it; calls go to this name.
        name: what the gateway calls it: `server__tool`.
        tool: the definition that the model sees, under `name` and with cleaned texts. Arguments are checked against
            the upstream's own schema instead.
        fingerprint: changes with anything that the upstream says of the tool.
        reports: what was cut, cleaned or left out.
    """

    server: str
    own_name: str
    name: str
    tool: mcp_types.Tool
    fingerprint: str
    reports: tuple[str, ...] = ()


def gateway_tools(lists: Mapping[str, Sequence[mcp_types.Tool]]) -> tuple[GatewayTool, ...]:
    """Return the tools of all upstreams, in the order of the lists; of two tools with one name, the first.

    Args:
        lists: the tools by upstream. Name upstreams that have not connected, too, with no tools: then no name changes
            when they connect.
    """
    names = gateway_names({server: [tool.name for tool in tools] for server, tools in lists.items()})
    return tuple(
        _gateway_tool(server, same, names[server, same[0].name])
        for server, tools in lists.items()
        for same in _by_name(tools)
    )


def _by_name(tools: Sequence[mcp_types.Tool]) -> list[list[mcp_types.Tool]]:
    found: dict[str, list[mcp_types.Tool]] = {}
    for tool in tools:
        found.setdefault(tool.name, []).append(tool)
    return list(found.values())


def _gateway_tool(server: str, same: Sequence[mcp_types.Tool], name: str) -> GatewayTool:
    given = same[0]
    tool, reports = guarded(given, server, name)
    if len(same) > 1:
        told = f"server {brief(server)}: tool {brief(given.name)} is listed {len(same)} times; only the first is used"
        reports = (*reports, told)
    return GatewayTool(server, given.name, name, tool, fingerprint(given), reports)
