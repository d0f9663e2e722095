"""One tool of an upstream as the gateway offers it."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import mcp_types

from embeddings.text.normalization import fold
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


LONGEST_READ: Final = 4_000
"""Characters of a phrase that are searched for names."""

_QUOTED: Final = re.compile(r"""`([^`]+)`|"([^"]+)"|“([^”]+)”|«([^»]+)»|(?<!\w)['‘]([^'’]+)['’](?!\w)""")
_RUN: Final = re.compile(r"""[^\s`"'“”‘’«»(),;!?<>\[\]{}]+""")
_NOT_A_WORD: Final = re.compile(r"[_-]|[a-z0-9][A-Z]")
"""Characters that an ordinary word does not have: `_`, `-`, or a capital inside."""


def exact(phrase: str, tools: Sequence[GatewayTool]) -> tuple[GatewayTool, ...]:
    """Return the tools that a phrase names exactly; see `ExactNames.find`."""
    return ExactNames(tools).find(phrase)


class ExactNames:
    """The names of some tools, bare and full."""

    def __init__(self, tools: Sequence[GatewayTool]) -> None:
        """Look up names of `tools`."""
        self._full = {tool.name: (tool,) for tool in tools}
        bare: dict[str, list[GatewayTool]] = defaultdict(list)
        folded: dict[str, list[GatewayTool]] = defaultdict(list)
        for tool in tools:
            bare[tool.own_name.strip()].append(tool)
            for text in dict.fromkeys((fold(tool.name), fold(f"{tool.server} {tool.own_name}"))):
                folded[text].append(tool)
        self._bare, self._folded = _frozen(bare), _frozen(folded)

    def find(self, phrase: str) -> tuple[GatewayTool, ...]:
        """Return the tools that a phrase names; several if servers share the name, none if it names no tool.

        The whole phrase may be a name, or server and tool in other writing ("github create issue"). Within a sentence,
        a name counts if it is quoted, or if it could not be an ordinary word. A full name goes before a bare one, so
        that no server can take the full name of another's tool.
        """
        spelled = phrase.strip()[:LONGEST_READ]
        whole = self._named(spelled) or self._named(spelled.strip("`\"'“”‘’«»")) or self._folded.get(fold(spelled))
        if whole:
            return whole
        found: dict[str, GatewayTool] = {}
        for text in _mentions(spelled):
            found |= {tool.name: tool for tool in self._named(text)}
        return tuple(found.values())

    def _named(self, text: str) -> tuple[GatewayTool, ...]:
        return self._full.get(text) or self._bare.get(text) or ()


def _mentions(phrase: str) -> Iterator[str]:
    """Parts of a sentence that can only be meant as names, in order."""
    for quoted in _QUOTED.finditer(phrase):
        yield next(text for text in quoted.groups() if text is not None).strip()
    for run in _RUN.findall(phrase):
        for text in dict.fromkeys((run, run.strip(".:*"))):
            if _NOT_A_WORD.search(text):
                yield text


def _frozen(found: Mapping[str, list[GatewayTool]]) -> dict[str, tuple[GatewayTool, ...]]:
    return {text: tuple(tools) for text, tools in found.items() if text}
