"""Long lists in pages: how much fits into one, and the cursor that leads to the next."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Sequence
from hashlib import sha256
from typing import Final, Generic, NamedTuple, TypeVar

from server.errors import CallerError, brief
from server.tools.answers import Answer, as_text

MOST_BYTES: Final = 26_000
"""Bytes of JSON of a page's items; addresses make the most tokens of a byte, and stay within 8,000 of cl100k."""

Item = TypeVar("Item", bound=Answer)


class Page(NamedTuple, Generic[Item]):
    """A part of a list."""

    items: list[Item]
    next_cursor: str | None


def page(tool: str, items: Sequence[Item], cursor: str | None, question: object) -> Page[Item]:
    """The items from a cursor on, as many as fit, at least one.

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
        if size > MOST_BYTES and end > start:
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
