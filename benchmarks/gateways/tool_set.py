"""Lists of tools by server, with requests: a file of one's own servers, and ToolAlpaca."""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from benchmarks.public_data import unserved
from benchmarks.sets.files import json_file, json_lines
from benchmarks.sets.labelled_set import LONGEST, one_line
from benchmarks.sets.tool_lists import parameters_of

TYPES: Final = ("string", "integer", "number", "boolean", "array", "object")

Key = tuple[str, str]
"""A server, and a tool's name there."""


@dataclass(frozen=True)
class ToolRequest:
    """A request.

    Attributes:
        text: what a user wants.
        tools: those that serve it, together or alike; empty if none does.
    """

    text: str
    tools: frozenset[Key]


@dataclass(frozen=True)
class ToolSet:
    """Servers with their tools as `tools/list` answers, and requests.

    Attributes:
        name: of the set.
        servers: `{server: {"tools": [...]}}`.
        requests: those that tools serve, and those that none serves.
    """

    name: str
    servers: Mapping[str, Mapping[str, list[dict[str, Any]]]]
    requests: tuple[ToolRequest, ...]

    @property
    def keys(self) -> list[Key]:
        """All tools."""
        return [(server, tool["name"]) for server, listed in self.servers.items() for tool in listed["tools"]]

    def first(self, count: int) -> "ToolSet":
        """Return the set with its first servers alone, and no requests for the others."""
        servers = dict(list(self.servers.items())[:count])
        kept = tuple(request for request in self.requests if all(server in servers for server, _ in request.tools))
        return replace(self, servers=servers, requests=kept)

    def write(self, folder: Path, command: list[str]) -> Path:
        """Write the tools, and a configuration with one made upstream for each server; return the configuration."""
        tools, config = folder / f"{self.name}-tools.json", folder / f"{self.name}-{len(self.servers)}.mcp.json"
        tools.write_text(json.dumps(self.servers), encoding="utf-8")
        started = {
            server: {"command": command[0], "args": [*command[1:], "--tools", str(tools), "--server", server]}
            for server in self.servers
        }
        config.write_text(json.dumps({"mcpServers": started}), encoding="utf-8")
        return config


def own_servers(name: str, tools: Path, requests: Path) -> ToolSet:
    """Read the tools of a file, and requests, each with the tools that serve it as "server/tool".

    Args:
        name: of the set.
        tools: as `agent-capabilities gateway catalog` prints them.
        requests: lines of JSON.

    Raises:
        ValueError: a request names a tool that the file does not have.
    """
    read = ToolSet(name, json_file(tools), ())
    known, found = set(read.keys), []
    for row in json_lines(requests):
        named = [tuple(name.split("/", 1)) for name in row["tools"]]
        missing = [name for name in named if name not in known]
        if missing:
            raise ValueError(f"{missing} in {row}: not among the tools of {tools}; list all its servers' tools again")
        found.append(ToolRequest(row["request"], frozenset((server, tool) for server, tool in named)))
    return replace(read, requests=tuple(found))


def toolalpaca(root: Path, clinc: Path) -> ToolSet:
    """Read ToolAlpaca's evaluation, each API as a server, with requests of CLINC150 that none of its tools serves."""
    servers: dict[str, dict[str, list[dict[str, Any]]]] = {}
    requests: dict[str, ToolRequest] = {}
    for part in ("eval_simulated", "eval_real"):
        for api in json_file(root / "data" / f"{part}.json"):
            server = slug(api["Name"])
            servers.setdefault(server, {"tools": list(_tools(api))})
            for request in _requests(api, server, {tool["name"] for tool in servers[server]["tools"]}):
                requests.setdefault(request.text.casefold(), request)
    none = (ToolRequest(query.query, frozenset()) for query in unserved(clinc))
    return ToolSet("toolalpaca", servers, (*requests.values(), *none))


def slug(name: str) -> str:
    """Return a server's name in lower-case ASCII letters, digits and underscores, which every gateway keeps."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")


def _tools(api: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name, text in (api.get("Function_Description") or {}).items():
        if name != "components":
            properties = {key: _property(str(told)) for key, told in parameters_of(text).items()}
            yield {
                "name": name,
                "description": one_line(text.split("\nParameters:")[0]),
                "inputSchema": {"type": "object", "properties": properties},
            }


def _property(told: str) -> dict[str, str]:
    found = re.match(r"(?:required\.\s*)?(\w+)", told, re.IGNORECASE)
    kind = found[1].lower() if found and found[1].lower() in TYPES else "string"
    return {"type": kind, "description": one_line(told)}


def _requests(api: Mapping[str, Any], server: str, names: set[str]) -> Iterator[ToolRequest]:
    for text, calls in zip(api["Instructions"], api["Golden_Answers"], strict=True):
        wanted = {call["Action"] for call in calls}
        tidy = one_line(text)
        if wanted and wanted <= names and len(tidy) <= LONGEST:
            yield ToolRequest(tidy, frozenset((server, name) for name in wanted))
