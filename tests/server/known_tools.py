"""A known tool for tests; the fixture `one_known` makes it the only one."""

from typing import Final

from server.matching.known_tools import KnownTool, said

STATUS: Final = "Shows the working tree status of a repository"
EXAMPLES: Final = ("what have I changed", "is anything modified")


def known_as(server: str, description: str, examples: tuple[str, ...] = ()) -> KnownTool:
    """Return a known tool."""
    words = said(description)
    return KnownTool(server, frozenset(words[start : start + 4] for start in range(0, len(words), 4)), examples)
