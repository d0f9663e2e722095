"""The formats that a preflight's outcome can be written in."""

from collections.abc import Callable, Mapping
from typing import Final

from server.preflight.formats.github import to_github
from server.preflight.formats.html import to_html
from server.preflight.formats.json_ import to_json
from server.preflight.formats.sarif import to_sarif
from server.preflight.formats.text import to_text
from server.preflight.outcome import Outcome

WRITERS: Final[Mapping[str, Callable[[Outcome], str]]] = {
    "text": to_text,
    "json": to_json,
    "sarif": to_sarif,
    "github": to_github,
    "html": to_html,
}
"""What writes each format."""
