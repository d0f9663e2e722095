"""Splits long lists into pages: how much fits into one, and the cursor of the next."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Sequence
from hashlib import sha256
from typing import Final, Generic, NamedTuple, TypeVar

from server.errors import CallerError, brief
from server.tools.answers import Answer, RelevantStatement, as_text

MAX_BYTES: Final = 26_000
"""Bytes of JSON of a page's items; addresses make the most tokens of a byte, and stay within 8,000 of cl100k."""

Item = TypeVar("Item", bound=Answer)


class Page(NamedTuple, Generic[Item]):
    """A part of a list."""

    items: list[Item]
    next_cursor: str | None


def page(tool: str, items: Sequence[Item], cursor: str | None, question: object) -> Page[Item]:
    """Return the items from a cursor on, as many as fit, at least one.

    Args:
        tool: name of the tool that lists them.
        items: the whole list.
        cursor: from the page before; None for the first page.
        question: what the list answers; a cursor leads on only with the same question and a list of the same length.

    Raises:
        CallerError: the cursor does not come from the page before.
    """
    mark = sha256(repr((tool, question, len(items))).encode()).hexdigest()[:8]
    start = _position(tool, cursor, mark, len(items)) if cursor else 0
    end, size = start, 0
    for item in items[start:]:
        size += len(as_text(item.to_json()).encode()) + 1
        if size > MAX_BYTES and end > start:
            break
        end += 1
    following = urlsafe_b64encode(f"{mark}{end}".encode()).decode() if end < len(items) else None
    return Page(list(items[start:end]), following)


def _position(tool: str, cursor: str, mark: str, total: int) -> int:
    try:
        text = urlsafe_b64decode(cursor.encode()).decode("ascii")
    except (NotBase64, ValueError):
        text = ""
    number = text.removeprefix(mark)
    if not text.startswith(mark) or not (number.isascii() and number.isdigit() and 0 < int(number) < total):
        raise CallerError(
            f"{tool} got cursor {brief(cursor)}; a cursor is the nextCursor of the page before, with the other "
            "arguments unchanged; call again without it for the first page"
        )
    return int(number)


LIMITING: Final = frozenset(["limitations", "requirements", "gotchas"])
"""Fields of an entry whose statements can take back what `available` promises."""

ELLIPSIS: Final = "…"
"""The end of a text that was cut."""


def caution(statements: Sequence[RelevantStatement] | None) -> bool:
    """Return whether one of the statements that bear on the caller's words limits what is offered."""
    return any(statement.field in LIMITING for statement in statements or ())


def cut(text: str, most: int) -> str:
    """Return a text of at most `most` characters; a longer one ends at a word and in an ellipsis."""
    if len(text) <= most:
        return text
    kept = text[: most - 1]
    inside_a_word = not (text[most - 1].isspace() or kept[-1:].isspace())
    if inside_a_word and len(kept.split()) > 1:
        kept = kept.rsplit(maxsplit=1)[0]
    return kept.rstrip(" ,;:.(") + ELLIPSIS
