"""Tells clients that their list of tools has changed, when the source of the tools changes."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final
from weakref import WeakKeyDictionary, ref

import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

from server.toolset.toolset import Context, Toolset, identity

logger = logging.getLogger(__name__)

MOST_STREAMS: Final = 1024
"""Maximum clients of 2026-07-28 that listen at the same time."""

Tell = Callable[[], Awaitable[None]]


class _Watcher:
    """A client that has seen its list of tools, and hears of changes of this list alone."""

    def __init__(self, look: Callable[[], list[types.Tool]], tell: Tell) -> None:
        self._look = look
        self._tell = tell
        self._seen = look()

    async def compare(self) -> None:
        """Tell the client, once, that its list is not what it was."""
        now = self._look()
        if now != self._seen:
            self._seen = now
            await self._tell()


class ListChanges:
    """The clients that are connected, and what each has seen of the tools."""

    def __init__(self, toolset: Toolset) -> None:
        """Watch the source of `toolset`."""
        self._toolset = toolset
        self._sessions: WeakKeyDictionary[Connection, _Watcher] = WeakKeyDictionary()
        self._streams: set[_Watcher] = set()
        self._announcing: asyncio.Task[None] | None = None
        self._again = False
        toolset.source.subscribe(self._changed)

    def saw(self, context: Context) -> None:
        """Note the list that a client has now; one whose connection remembers nothing is not told of changes."""
        loaded = self._toolset.loaded(context)
        if loaded is None:
            return
        # The SDK gives handlers no public access to the connection yet.
        connection = context.session._connection
        self._sessions[connection] = _Watcher(self._look(identity(context), loaded), _told_by(connection))

    async def listen(
        self, context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve `subscriptions/listen`: one client's stream, which hears of changes of this client's list.

        Raises:
            MCPError: too many clients listen.
        """
        if len(self._streams) >= MOST_STREAMS:
            raise MCPError(INTERNAL_ERROR, f"{MOST_STREAMS} clients listen already; the limit is reached; list again")
        bus = InMemorySubscriptionBus()
        watcher = _Watcher(self._look(identity(context), None), lambda: bus.publish(ToolsListChanged()))
        self._streams.add(watcher)
        try:
            return await ListenHandler(bus)(context, params)
        finally:
            self._streams.discard(watcher)

    def _look(self, caller: str | None, loaded: list[str] | None) -> Callable[[], list[types.Tool]]:
        """What the caller's list is, each time that it is called."""
        return lambda: self._toolset.listed(self._toolset.view(caller, loaded))

    def _changed(self) -> None:
        """Tell the clients soon; changes that come meanwhile are told together."""
        self._again = True
        if self._announcing is None or self._announcing.done():
            self._announcing = asyncio.get_running_loop().create_task(self._announce())

    async def _announce(self) -> None:
        while self._again:
            self._again = False
            for watcher in [*self._sessions.values(), *self._streams]:
                try:
                    await watcher.compare()
                except Exception:
                    logger.exception("a client could not be told that its list of tools has changed")


def _told_by(connection: Connection) -> Tell:
    """Sends the notification of the legacy protocol, without keeping the connection alive."""
    reference = ref(connection)

    async def tell() -> None:
        alive = reference()
        if alive is not None:
            await alive.send_tool_list_changed()

    return tell
