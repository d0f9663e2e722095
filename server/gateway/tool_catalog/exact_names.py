"""Finds tools that a phrase names exactly, alone or within a sentence."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from embeddings.text.normalization import fold
from server.gateway.tool_catalog.gateway_tool import GatewayTool

LONGEST_READ: Final = 4_000
"""Characters of a phrase that are searched for names."""

_QUOTED: Final = re.compile(r"""`([^`]+)`|"([^"]+)"|“([^”]+)”|«([^»]+)»|(?<!\w)['‘]([^'’]+)['’](?!\w)""")
_RUN: Final = re.compile(r"""[^\s`"'“”‘’«»(),;!?<>\[\]{}]+""")
_NOT_A_WORD: Final = re.compile(r"[_-]|[a-z0-9][A-Z]")
"""What an ordinary word does not hold: `_`, `-`, or a capital inside."""


def exact(phrase: str, tools: Sequence[GatewayTool]) -> tuple[GatewayTool, ...]:
    """The tools that a phrase names exactly; see `ExactNames.find`."""
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
        """The tools that a phrase names; several if servers share the name, none if it names no tool.

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
