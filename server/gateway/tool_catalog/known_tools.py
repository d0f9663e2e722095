"""Examples for the tools of widely used MCP servers, which ship with the program.

A tool is recognised by the name that its server gives it and by what its description says: of each known description
the file has hashes of its words, and so no text of the server's makers.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from embeddings.files import read_text, write_atomically
from embeddings.text.words import stems
from server.errors import CallerError, brief
from server.gateway.tool_catalog.gateway_tool import GatewayTool
from server.paths import shipped_data

KNOWN_TOOLS_FILE: Final = "known-tools.json"

SAME: Final = 0.8
"""Share of the words of the shorter of two descriptions that the other has, too, from which on a tool of the same name
is the same tool. Of 150 tools in two versions of eleven servers, up to a year apart, 85% reach it; of 53 pairs of tools
that share a name on two servers, 5, which do the same with the same product."""

WORDS: Final = 40
"""Different words at the beginning of a description that count; examples and warnings follow later."""

_DIGITS: Final = 4
"""Hexadecimal digits of a word's hash."""


@dataclass(frozen=True)
class KnownTool:
    """A tool of a widely used server.

    Attributes:
        server: the package that has it.
        said: hashes of the words of its description.
        examples: how people ask for it.
    """

    server: str
    said: frozenset[str]
    examples: tuple[str, ...]


@cache
def known_tools() -> Mapping[str, Sequence[KnownTool]]:
    """Return the known tools by the names that their servers give them."""
    found: dict[str, list[KnownTool]] = {}
    for server, tools in json.loads(read_text(shipped_data() / KNOWN_TOOLS_FILE))["servers"].items():
        for name, tool in tools.items():
            known = KnownTool(server, frozenset(_pieces(tool["said"])), tuple(tool["examples"]))
            found.setdefault(name, []).append(known)
    return found


def recognised(name: str, description: str) -> KnownTool | None:
    """Return the known tool that a tool is; None if it is none of them.

    Args:
        name: as its server calls it.
        description: what its server says of it.
    """
    own = frozenset(_pieces(said(description)))
    best = max(known_tools().get(name, ()), key=lambda tool: _shared(own, tool.said), default=None)
    return best if best and _shared(own, best.said) >= SAME else None


def said(description: str) -> str:
    """Return the hashes of the first words of a description, one after another."""
    words = list(dict.fromkeys(stems(description)))[:WORDS]
    return "".join(sorted({hashlib.sha256(word.encode()).hexdigest()[:_DIGITS] for word in words}))


def known_examples(tools: Iterable[GatewayTool]) -> dict[str, tuple[str, ...]]:
    """Return the examples of the tools that are recognised, by full name."""
    found = {tool.name: recognised(tool.own_name, tool.tool.description or "") for tool in tools}
    return {name: known.examples for name, known in found.items() if known}


def write_known_tools(path: Path, tools: Sequence[GatewayTool], examples: Mapping[str, Sequence[str]]) -> None:
    """Add tools to a file of known tools, under the names of their servers; what it has of others stays.

    Args:
        path: the file; made if there is none.
        tools: the tools.
        examples: by full name; a tool without any is left out.

    Raises:
        CallerError: the file cannot be read or written, or is no such file.
    """
    try:
        servers: dict[str, Any] = json.loads(read_text(path))["servers"] if path.exists() else {}
        for tool in tools:
            if tool.name in examples:
                written = {"said": said(tool.tool.description or ""), "examples": [*examples[tool.name]]}
                servers[tool.server] = dict(sorted({**servers.get(tool.server, {}), tool.own_name: written}.items()))
        text = json.dumps({"servers": dict(sorted(servers.items()))}, ensure_ascii=False, indent=1)
        write_atomically(path, f"{text}\n".encode())
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CallerError(
            f"{brief(str(path))} cannot be used as a file of known tools ({error}); it is JSON with 'servers', as the "
            f"shipped {KNOWN_TOOLS_FILE}; name such a file, or a new one"
        ) from error


def _pieces(hashes: str) -> Iterator[str]:
    return (hashes[start : start + _DIGITS] for start in range(0, len(hashes), _DIGITS))


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of the smaller set that the other has, too; 0 if one is empty."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0
