"""Pages of a list that may change between requests: a page goes on after the last item that was shown."""

import base64
import binascii
import json
from collections.abc import Iterable
from typing import Final, TypeVar

import mcp_types as types

from server.errors import CallerError, brief
from server.gateway.forwarding.errors import failed_request

PAGE: Final = 100
"""Maximum items of a page."""

Key = tuple[str, str]
"""Server, and the item's name or address there."""

Item = TypeVar("Item")


def page(
    items: Iterable[tuple[Key, Item]], params: types.PaginatedRequestParams | None
) -> tuple[list[Item], str | None]:
    """The requested items in the order of their keys, and the cursor of the next page if there is one.

    Of several items with one key, the first is shown.

    Raises:
        MCPError: the cursor is none that was given.
    """
    after = _key(params.cursor) if params and params.cursor is not None else None
    by_key: dict[Key, Item] = {}
    for key, item in items:
        if after is None or key > after:
            by_key.setdefault(key, item)
    keys = sorted(by_key)
    shown = keys[:PAGE]
    return [by_key[key] for key in shown], _cursor(shown[-1]) if len(keys) > len(shown) else None


def _cursor(key: Key) -> str:
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode()


def _key(cursor: str) -> Key:
    try:
        match json.loads(base64.urlsafe_b64decode(cursor.encode())):
            case [str(server), str(name)]:
                return server, name
    except (ValueError, binascii.Error, RecursionError):
        pass
    error = CallerError(
        f"unknown cursor {brief(cursor)}; a cursor is the nextCursor of the page before; list again without one"
    )
    raise failed_request("listing", error, {"cursor": cursor})
