"""The page's paths, below its own address."""

from typing import Final

SHELL: Final = "/"
FILES: Final = "/page/"
API: Final = "/api/"


def collides(path: str) -> bool:
    """Whether a path of MCP would be one of the page's."""
    return path == SHELL or any(f"{path}/".startswith(prefix) for prefix in (FILES, API))
