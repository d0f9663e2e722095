"""Prompts and resources as callers see them: under the gateway's name, with texts that hide nothing and are bounded."""

import base64
import binascii
import json
from collections.abc import Iterable
from typing import Final, TypeVar

import mcp_types as types

from embeddings.labels.tool_list import LONGEST_NAME, LONGEST_TEXT
from embeddings.text.invisible import first_hidden, visible
from server.errors import CallerError, brief
from server.gateway.forwarding.addresses import address
from server.gateway.forwarding.source import failed_request

LONGEST_ADDRESS: Final = 8_000
"""Maximum characters of an upstream's address; listed ones are shorter, or left out."""

MAX_ARGUMENTS: Final = 100
"""Maximum arguments of a prompt that is listed."""


def usable(identifier: str) -> bool:
    """Return whether a name or an address can be shown: it hides nothing, and has no spaces at its ends.

    It goes back to the upstream as it is, so it cannot be cleaned.
    """
    return (
        bool(identifier.strip())
        and len(identifier) <= LONGEST_ADDRESS
        and first_hidden(identifier, one_line=True) is None
    )


def resource(server: str, listed: types.Resource) -> types.Resource:
    """Return a resource under the gateway's address. Icons and `_meta` are left out."""
    return types.Resource(
        uri=address(server, listed.uri),
        name=_line(listed.name) or "",
        title=_line(listed.title),
        description=_text(listed.description),
        mime_type=_line(listed.mime_type),
        size=listed.size,
        annotations=listed.annotations,
    )


def template(server: str, listed: types.ResourceTemplate) -> types.ResourceTemplate:
    """Return a template of the gateway's addresses. Icons and `_meta` are left out."""
    return types.ResourceTemplate(
        uri_template=address(server, listed.uri_template),
        name=_line(listed.name) or "",
        title=_line(listed.title),
        description=_text(listed.description),
        mime_type=_line(listed.mime_type),
        annotations=listed.annotations,
    )


def prompt(name: str, listed: types.Prompt) -> types.Prompt:
    """Return a prompt under the gateway's name. Icons and `_meta` are left out."""
    arguments = [
        types.PromptArgument(
            name=argument.name,
            title=_line(argument.title),
            description=_text(argument.description),
            required=argument.required,
        )
        for argument in listed.arguments or ()
    ]
    return types.Prompt(
        name=name,
        title=_line(listed.title),
        description=_text(listed.description),
        arguments=arguments if listed.arguments is not None else None,
    )


def usable_prompt(listed: types.Prompt) -> bool:
    """Return whether a prompt can be shown; the names of its arguments go back to the upstream, too."""
    names = [argument.name for argument in listed.arguments or ()]
    return len(names) <= MAX_ARGUMENTS and all(usable(name) for name in (listed.name, *names))


def _line(text: str | None) -> str | None:
    return None if text is None else visible(text[:LONGEST_NAME], one_line=True).strip()


def _text(text: str | None) -> str | None:
    return None if text is None else visible(text[:LONGEST_TEXT], one_line=False).strip()


PAGE: Final = 100
"""Maximum items of a page."""

Key = tuple[str, str]
"""Server, and the item's name or address there."""

Item = TypeVar("Item")


def page(
    items: Iterable[tuple[Key, Item]], params: types.PaginatedRequestParams | None
) -> tuple[list[Item], str | None]:
    """Return the requested items in the order of their keys, and the cursor of the next page if there is one.

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
