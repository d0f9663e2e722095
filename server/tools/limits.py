"""Statements that limit what an entry offers, and texts cut to a length."""

from collections.abc import Sequence
from typing import Final

from server.tools.answers import RelevantStatement

LIMITING: Final = frozenset(["limitations", "requirements", "gotchas"])
"""Fields of an entry whose statements can take back what `available` promises."""

ELLIPSIS: Final = "…"
"""The end of a text that was cut."""


def caution(statements: Sequence[RelevantStatement] | None) -> bool:
    """Whether one of the statements that bear on the caller's words limits what is offered."""
    return any(statement.field in LIMITING for statement in statements or ())


def cut(text: str, most: int) -> str:
    """A text of at most `most` characters; a longer one ends at a word and in an ellipsis."""
    if len(text) <= most:
        return text
    kept = text[: most - 1]
    inside_a_word = not (text[most - 1].isspace() or kept[-1:].isspace())
    if inside_a_word and len(kept.split()) > 1:
        kept = kept.rsplit(maxsplit=1)[0]
    return kept.rstrip(" ,;:.(") + ELLIPSIS
