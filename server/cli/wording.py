"""Words for people where a tool's answer or error speaks to a model."""

import re
from collections.abc import Mapping
from typing import Final

PROGRAM: Final = "agent-capabilities"

COMMAND_OF: Final[Mapping[str, str]] = {
    "lookup_capability": "lookup",
    "compare_capability": "compare",
    "list_capabilities": "list",
    "get_sources": "sources",
    "match_capability": "match",
    "explain_match": "match --explain",
    "recommend_agent": "recommend",
    "feature_parity": "parity",
    "catalog_status": "doctor",
}
"""The subcommand that answers what a tool answers."""

_WORDS: Final[Mapping[str, str]] = {
    **{tool: f"'{PROGRAM} {command}'" for tool, command in COMMAND_OF.items()},
    "call again": "ask again",
    "Call again": "Ask again",
    "call once": "ask once",
    "Call once": "Ask once",
    "see relevant for": "see what bears on it for",
    ", or say that the catalog does not cover it": "",
    "say that the catalog does not cover": "the catalog does not cover",
}
_ANY: Final = re.compile("|".join(_WORDS))


def for_people(text: str) -> str:
    """A text with commands in place of tools, and asking in place of calling."""
    return _ANY.sub(lambda found: _WORDS[found[0]], text)


def quoted(word: str) -> str:
    """An argument as it is typed in a shell."""
    return f'"{word}"' if " " in word else word
