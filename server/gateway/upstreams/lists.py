"""Reads a server's lists to their end, within bounds."""

import logging
import math
from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import Any, TypeVar

import anyio
import mcp_types as types
from mcp.client import Client
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp_types import METHOD_NOT_FOUND
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from server.errors import brief
from server.gateway.skills.skill import EXTENSION, ListSkillsRequest, ListSkillsResult, Skill, SkillEntry, read_skill
from server.gateway.upstreams.connection import Connection
from server.gateway.upstreams.states import KINDS, Limits, ListKind, Lists

logger = logging.getLogger(__name__)

Page = TypeVar("Page", bound=types.PaginatedResult)


async def read_lists(client: Client, name: str, limits: Limits, wanted: Iterable[ListKind] = KINDS) -> Lists:
    """Return the lists that a server has. Without prompts or resources it can be used, without its tools it cannot.

    Raises:
        MCPError: the tools cannot be listed.
        pydantic.ValidationError: the list of tools is malformed.
    """
    lists: Lists = {}
    for kind in wanted:
        if not _has(client, kind):
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


def _has(client: Client, kind: ListKind) -> bool:
    """Return whether a server has a list; one that declares nothing may still have tools."""
    capabilities = client.server_capabilities
    if kind == "skills":
        return client.protocol_version in MODERN_PROTOCOL_VERSIONS and EXTENSION in (capabilities.extensions or {})
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
    if kind == "skills":
        return _skills(
            await _pages(lambda params: _list_skills(client, params), lambda page: page.skills, name, limits), name
        )
    return await _pages(
        lambda params: client.session.list_resource_templates(params=params),
        lambda page: page.resource_templates,
        name,
        limits,
    )


async def _list_skills(client: Client, params: types.PaginatedRequestParams | None) -> ListSkillsResult:
    request = ListSkillsRequest(params=params or types.PaginatedRequestParams())
    return await client.session.send_request(request, ListSkillsResult)


def _skills(entries: Iterable[SkillEntry], name: str) -> tuple[Skill, ...]:
    """Return the skills that are as the extension has them; of the others, the log tells."""
    found: dict[str, Skill] = {}
    for entry in entries:
        try:
            skill = read_skill(entry.root)
        except ValueError as error:
            uri = entry.root.get("uri") if isinstance(entry.root, dict) else entry.root
            logger.warning(
                "server %s lists the skill %s, which is not as the protocol has it (%s); it is left out; tell those "
                "who make it",
                brief(name),
                brief(uri),
                error,
            )
            continue
        found.setdefault(skill.uri, skill)
    return tuple(found.values())


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


async def follow(
    connection: Connection, name: str, limits: Limits, update: Callable[[Lists], None], wanted: Collection[ListKind]
) -> None:
    """Fetch lists anew when they change, until cancelled.

    Args:
        connection: to the server.
        name: the server's.
        limits: of lists and times.
        update: gets the lists that changed.
        wanted: the lists to fetch anew.
    """
    pause, fetched = limits.settle, -math.inf
    async with anyio.create_task_group() as tasks:
        if connection.modern and set(KINDS) <= set(wanted):
            tasks.start_soon(_listen, connection, limits)
        while True:
            await connection.a_change.wait()
            # Many changes in a row lead to one fetch; a server that never stops changing is asked ever less often.
            often = anyio.current_time() - fetched < 2 * pause
            pause = min(2 * pause, limits.longest_pause) if often else limits.settle
            await anyio.sleep(pause)
            connection.a_change, fetched = anyio.Event(), anyio.current_time()
            kinds = tuple(kind for kind in KINDS if kind in connection.changed and kind in wanted)
            connection.changed.clear()
            try:
                with anyio.fail_after(limits.start):
                    update(await read_lists(connection.client, name, limits, kinds))
            except (MCPError, TimeoutError, ValueError) as error:
                logger.warning(
                    "server %s: its changed list cannot be fetched (%s); the one known before stays in use",
                    brief(name),
                    type(error).__name__,
                )


async def _listen(connection: Connection, limits: Limits) -> None:
    """Keep a subscription open; its events arrive as notifications."""
    has = connection.client.server_capabilities
    tools = bool(has.tools and has.tools.list_changed)
    prompts = bool(has.prompts and has.prompts.list_changed)
    resources = bool(has.resources and has.resources.list_changed)
    pause, again = limits.first_pause, False
    while tools or prompts or resources:
        try:
            with anyio.move_on_after(limits.start) as scope:
                async with connection.client.listen(
                    tools_list_changed=tools, prompts_list_changed=prompts, resources_list_changed=resources
                ) as subscription:
                    scope.deadline, pause = math.inf, limits.first_pause
                    if again:
                        # What changed in between was not told.
                        connection.outdated(*KINDS)
                    async for _ in subscription:
                        pass
        except ListenNotSupportedError:
            return
        except MCPError as error:
            if error.code == METHOD_NOT_FOUND:
                return
        except SubscriptionLost:
            pass
        again = True
        await anyio.sleep(pause)
        pause = min(2 * pause, limits.longest_pause)
