"""Follows the changes of a server's lists: legacy notifications, and the subscriptions of 2026-07-28."""

import logging
import math
from collections.abc import Callable, Collection

import anyio
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp_types import METHOD_NOT_FOUND

from server.errors import brief
from server.gateway.upstreams.connection import Connection
from server.gateway.upstreams.lists import read_lists
from server.gateway.upstreams.states import KINDS, Limits, ListKind, Lists

logger = logging.getLogger(__name__)


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
