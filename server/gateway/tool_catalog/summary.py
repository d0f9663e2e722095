"""Says what lies behind the gateway, in few words: a model calls a search only if it knows what can be found."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from embeddings.text.invisible import visible
from embeddings.text.words import spoken
from server.gateway.tool_catalog.gateway_tool import GatewayTool

_PIECES: Final = re.compile(r"(?P<word>[A-Za-z]+)|(?P<digits>[0-9]+)|(?P<space> )|(?P<other>.)", re.DOTALL)
_VOWEL: Final = re.compile(r"(?i)[aeiouy]")
_CONSONANTS: Final = re.compile(r"(?i)[^aeiouy]{4}")


def estimated_tokens(text: str) -> int:
    """Return an estimate of the cl100k tokens of a text; for names and English it is above the count."""
    return sum(_tokens(piece) for piece in _PIECES.finditer(text))


def is_pronounceable(word: str) -> bool:
    """Return whether a word looks like one of a language, which few tokens spell."""
    return _VOWEL.search(word) is not None and _CONSONANTS.search(word) is None


def _tokens(piece: re.Match[str]) -> int:
    text = piece[0]
    if piece["word"]:
        return -(-len(text) // 3) if is_pronounceable(text) else len(text)
    if piece["digits"]:
        return -(-len(text) // 3)
    # A space belongs to the word after it.
    return 0 if piece["space"] else len(text.encode("utf-8", "surrogatepass"))


MAX_WORDS: Final = 8
"""Maximum words for one server."""

LONGEST_SERVER: Final = 40
"""Maximum characters of a server's name that are shown."""

_LONGEST_WORD: Final = 16

_WORD: Final = re.compile(r"[a-z]{2,}")

_GENERIC: Final = frozenset(
    _WORD.findall(
        """
        add all and are by can call check clear close copy create del delete do edit execute fetch find for from get
        has in insert into is item items list load make manage many modify move multiple my new of on open or out
        patch post put query read remove rename replace reset run save search send set show start stop submit the to
        update upload use user view with write tool tools data info details api mcp
        """
    )
)
"""Words that most servers have in common; they are named only after the others."""


@dataclass
class _Part:
    """The summary of one server."""

    server: str
    count: int | None
    words: Sequence[str]
    shown: int = 0

    def __str__(self) -> str:
        if self.count is None:
            return self.server
        said = ", ".join([str(self.count), *self.words[: self.shown]]).replace(", ", ": ", 1)
        return f"{self.server} ({said})"


def summary(tools_by_server: Mapping[str, Sequence[GatewayTool] | None], most_tokens: int) -> str:
    """Servers, the numbers of their tools and words from these, such as `20 tools of 2 servers: git (12: commit), ...`.

    Args:
        tools_by_server: the tools of each server; None if they are not known yet.
        most_tokens: estimated cl100k tokens that the text may have. Words are left out first, then servers.
    """
    parts = [_part(server, tools) for server, tools in tools_by_server.items()]
    if not parts:
        return "No servers are configured."
    named = len(parts)
    while named and estimated_tokens(_text(parts, named)) > most_tokens:
        named -= 1
    _add_words(parts[:named], most_tokens - estimated_tokens(_text(parts, named)))
    return _text(parts, named)


def _part(server: str, tools: Sequence[GatewayTool] | None) -> _Part:
    name = " ".join(visible(server[:LONGEST_SERVER], one_line=True).split())
    return _Part(name, None if tools is None else len(tools), _words(server, tools or ()))


def _words(server: str, tools: Sequence[GatewayTool]) -> list[str]:
    """Words of the tools' names, those of most tools first, generic ones last."""
    own = set(_spoken_words(server))
    counted = Counter(
        word
        for tool in tools
        for word in dict.fromkeys(_spoken_words(visible(tool.own_name, one_line=True)))
        if word not in own and len(word) <= _LONGEST_WORD and is_pronounceable(word)
    )
    told: dict[str, str] = {}
    for word in sorted(counted, key=lambda word: (word in _GENERIC, -counted[word])):
        told.setdefault(word.removesuffix("s"), word)
    return list(told.values())[:MAX_WORDS]


def _spoken_words(name: str) -> list[str]:
    return _WORD.findall(spoken(name).casefold())


def _add_words(parts: Sequence[_Part], room: int) -> None:
    """Show words of each server in turn, as many as there is room for."""
    for turn in range(MAX_WORDS):
        for part in parts:
            if turn >= len(part.words):
                continue
            room -= estimated_tokens(f", {part.words[turn]}")
            if room < 0:
                return
            part.shown = turn + 1


def _text(parts: Sequence[_Part], named: int) -> str:
    known = [part.count for part in parts if part.count is not None]
    servers = _many(len(parts), "server")
    head = f"{_many(sum(known), 'tool')} of {servers}" if known else servers
    shown = [*map(str, parts[:named]), *([f"{len(parts) - named} more"] if named < len(parts) else [])]
    unknown = len(parts) - len(known)
    told = f" Tools of {unknown} not known yet." if unknown and known else " Their tools are not known yet."
    return f"{head}: {', '.join(shown)}.{told if unknown else ''}"


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
