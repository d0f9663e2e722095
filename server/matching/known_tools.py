"""Examples for the tools of widely used MCP servers, which ship with the program.

A tool is recognised by the name that its server gives it and by what its description says: of each known description
the file has hashes of its words, and so no text of the server's makers.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from embeddings.files import read_text
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.text.words import stems
from server.paths import shipped_data

KNOWN_TOOLS_FILE: Final = "known-tools.json"

SAME: Final = 0.8
"""Share of the words of the shorter of two descriptions that the other has, too, from which on a tool of the same name
is the same tool. Of 150 tools in two versions of eleven servers, up to a year apart, 85% reach it; of 53 pairs of tools
that share a name on two servers, 5, which do the same with the same product."""

WORDS: Final = 40
"""Different words at the beginning of a description that count; examples and warnings follow later."""

ASKED_IN_VAIN: Final = 0.32
"""Share of the needs that no tool serves, where tools have examples. Examples that were written from descriptions are
asked in other words than the needs of agents, so that a catalog learns from them to refuse hardly anything.

Five groups of nine or ten of 29 public servers, 89 to 222 tools, were asked the 348 needs and 60 that nothing serves of
`benchmarks/agent_needs.jsonl`, written by another author from the tools' names. With this share and the default costs
0.092 of the needs are refused (0.03 to 0.12 a group), of those that nothing serves 0.67, of those for tools of other
servers 0.62; with 0.35, 0.108, 0.70 and 0.70; with none stated, 0.010, 0.36 and 0.23. Without examples, and with the
costs `offer`, 0.097, 0.64 and 0.48. The right tool is first for 0.74 instead of 0.47."""

_DIGITS: Final = 4
"""Hexadecimal digits of a word's hash."""


_SEPARATOR: Final = re.compile(r"[_\-./]+")


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
        name: as its server calls it, or with the server's name before it, as in "git_git_status".
        description: what its server says of it.
    """
    called = [name, *(name[found.end() :] for found in _SEPARATOR.finditer(name))]
    named = [tool for each in called for tool in known_tools().get(each, ())]
    # Few labels of a catalog have such a name, so that few descriptions are hashed.
    own = frozenset(_pieces(said(description))) if named else frozenset()
    best = max(named, key=lambda tool: _shared(own, tool.said), default=None)
    return best if best and _shared(own, best.said) >= SAME else None


def said(description: str) -> str:
    """Return the hashes of the first words of a description, one after another."""
    words = list(dict.fromkeys(stems(description)))[:WORDS]
    return "".join(sorted({hashlib.sha256(word.encode()).hexdigest()[:_DIGITS] for word in words}))


def with_known_examples(book: PhraseBook) -> PhraseBook:
    """Give the tools of a catalog that are recognised, and have no phrasings, the examples that ship for them."""
    labels = tuple(map(_with_examples, book.labels))
    if labels == book.labels:
        return book
    share = ASKED_IN_VAIN if book.out_of_scope_share is None else book.out_of_scope_share
    return replace(book, labels=labels, out_of_scope_share=share)


def _with_examples(label: Label) -> Label:
    known = None if label.phrasings else recognised(label.name, label.description)
    return replace(label, phrasings=known.examples, generated=frozenset(known.examples)) if known else label


def _pieces(hashes: str) -> Iterator[str]:
    return (hashes[start : start + _DIGITS] for start in range(0, len(hashes), _DIGITS))


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of the smaller set that the other has, too; 0 if one is empty."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0
