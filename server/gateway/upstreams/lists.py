"""Reads a server's lists to their end, within bounds."""

import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

import mcp_types as types
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from server.errors import brief
from server.gateway.upstreams.states import KINDS, Limits, ListKind, Lists

logger = logging.getLogger(__name__)

Page = TypeVar("Page", bound=types.PaginatedResult)


async def read_lists(client: Client, name: str, limits: Limits, wanted: Iterable[ListKind] = KINDS) -> Lists:
    """The lists that a server has. Without prompts or resources it can be used, without its tools it cannot.

    Raises:
        MCPError: the tools cannot be listed.
        pydantic.ValidationError: the list of tools is malformed.
    """
    lists: Lists = {}
    for kind in wanted:
        if not _has(client.server_capabilities, kind):
            continue
        try:
            lists[kind] = await _read(client, kind, name, limits)
        except (MCPError, ValueError) as error:
            if kind == "tools" and not _unknown_method(error):
                raise
            logger.debug("server %s: %s cannot be listed (%s)", name, kind, type(error).__name__)
            lists[kind] = ()
    return lists


def _unknown_method(error: Exception) -> bool:
    return isinstance(error, MCPError) and error.code == types.METHOD_NOT_FOUND


def _has(capabilities: types.ServerCapabilities, kind: ListKind) -> bool:
    """Whether a server has a list; one that declares nothing may still have tools."""
    declared = {
        "tools": capabilities.tools,
        "prompts": capabilities.prompts,
        "resources": capabilities.resources,
        "resource_templates": capabilities.resources,
    }
    return declared[kind] is not None or (kind == "tools" and not any(declared.values()))


async def _read(client: Client, kind: ListKind, name: str, limits: Limits) -> tuple[Any, ...]:
    if kind == "tools":
        return await _pages(
            lambda params: client.session.list_tools(params=params), lambda page: page.tools, name, limits
        )
    if kind == "prompts":
        return await _pages(
            lambda params: client.session.list_prompts(params=params), lambda page: page.prompts, name, limits
        )
    if kind == "resources":
        return await _pages(
            lambda params: client.session.list_resources(params=params), lambda page: page.resources, name, limits
        )
    return await _pages(
        lambda params: client.session.list_resource_templates(params=params),
        lambda page: page.resource_templates,
        name,
        limits,
    )


async def _pages(
    read: Callable[[types.PaginatedRequestParams | None], Awaitable[Page]],
    items: Callable[[Page], list[Any]],
    name: str,
    limits: Limits,
) -> tuple[Any, ...]:
    kept: list[Any] = []
    size = 0
    seen: set[str] = set()
    cursor: str | None = None
    for _ in range(limits.pages):
        page = await read(types.PaginatedRequestParams(cursor=cursor) if cursor is not None else None)
        for item in items(page):
            size += len(item.model_dump_json())
            if len(kept) >= limits.items or size > limits.list_bytes:
                return _cut(kept, name, limits)
            kept.append(item)
        cursor = page.next_cursor
        if cursor is None:
            return tuple(kept)
        if cursor in seen:
            break
        seen.add(cursor)
    return _cut(kept, name, limits)


def _cut(kept: list[Any], name: str, limits: Limits) -> tuple[Any, ...]:
    logger.warning(
        "server %s: the list of %s has no end or is over a limit; at most %d entries of %d bytes on %d pages are read; "
        "the first %d are used",
        brief(name),
        type(kept[0]).__name__ if kept else "entries",
        limits.items,
        limits.list_bytes,
        limits.pages,
        len(kept),
    )
    return tuple(kept)
