"""One attempt to connect to an upstream, and the time for which it stays connected."""

import math
from typing import Literal, Protocol

import anyio

from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.upstreams.connection import Connection, connect
from server.gateway.upstreams.failures import Failure, advised, reason
from server.gateway.upstreams.lists import follow, read_lists
from server.gateway.upstreams.states import KINDS, Limits, ListKind, Lists
from server.gateway.upstreams.stored_login import stored_login
from server.gateway.upstreams.transports.http import HttpTransport
from server.gateway.upstreams.transports.stdio import StdioTransport


class Owner(Protocol):
    """Who wants to know what becomes of a connection."""

    def use(self, connection: Connection, lists: Lists) -> None:
        """The connection is ready."""
        ...

    def update(self, lists: Lists) -> None:
        """Lists have changed."""
        ...

    def lose(self, connection: Connection) -> None:
        """The connection has ended."""
        ...


class Attempt:
    """Connects once; a server that refuses streamable HTTP is tried over legacy SSE.

    Args:
        config: how to reach the upstream.
        limits: of times and sizes.
        listed: whether all lists are read and followed; otherwise only what calls need is read.
        legacy: start with the legacy handshake.
        several_callers: whether several callers share the connection.

    Attributes:
        was_ready: whether it connected; `was_ready_for` how many seconds it then lasted.
    """

    def __init__(
        self, config: UpstreamConfig, limits: Limits, *, listed: bool, legacy: bool, several_callers: bool
    ) -> None:
        self.was_ready, self.was_ready_for = False, 0.0
        self._config, self._limits, self._listed, self._several_callers = config, limits, listed, several_callers
        self._seconds = limits.start if config.startup_timeout is None else config.startup_timeout
        self._mode: Literal["legacy", "auto"] = "legacy" if legacy else "auto"

    async def live(self, owner: Owner) -> Failure:
        """Connect, and stay connected for as long as possible.

        Args:
            owner: is told what becomes of the connection.

        Returns:
            Why it ended.
        """
        if self._config.transport == "stdio":
            return await self._over(StdioTransport(self._config, self._limits.message), owner)
        first = self._http(sse=self._config.transport == "sse")
        failure = await self._over(first, owner)
        if self.was_ready or not first.refused or self._config.transport == "sse":
            return failure
        return await self._over(self._http(sse=True), owner, otherwise=failure)

    def _http(self, *, sse: bool) -> HttpTransport:
        return HttpTransport(self._config, self._limits.message, stored_login(self._config), sse=sse)

    async def _over(
        self,
        transport: StdioTransport | HttpTransport,
        owner: Owner,
        otherwise: Failure | None = None,
    ) -> Failure:
        began = math.inf
        failure: Failure = ("down", f"it did not start within {self._seconds:g} seconds")
        try:
            with anyio.CancelScope(deadline=anyio.current_time() + self._seconds) as scope:
                async with connect(transport, self._mode, several_callers=self._several_callers) as connection:
                    wanted = self._wanted(connection)
                    lists = await read_lists(connection.client, self._config.name, self._limits, wanted)
                    scope.deadline = math.inf
                    self.was_ready, began = True, anyio.current_time()
                    owner.use(connection, lists)
                    await self._until_the_end(transport, connection, owner)
                    failure = connection.lost()
        except Exception as error:
            kind, why = reason(error)
            failure = kind, transport.why or why
        if began < math.inf:
            self.was_ready_for = anyio.current_time() - began
            otherwise = None
        return otherwise or advised(self._config, failure)

    def _wanted(self, connection: Connection) -> tuple[ListKind, ...]:
        """Return the lists to read. The headers of calls over HTTP are made from the tools' schemas."""
        if self._listed:
            return KINDS
        return ("tools",) if connection.modern and self._config.transport != "stdio" else ()

    async def _until_the_end(
        self, transport: StdioTransport | HttpTransport, connection: Connection, owner: Owner
    ) -> None:
        async def watch(failing: HttpTransport) -> None:
            await failing.failed.wait()
            connection.fail("unauthorized" if failing.unauthorized else "down", failing.why)

        async with anyio.create_task_group() as tasks:
            if isinstance(transport, HttpTransport):
                tasks.start_soon(watch, transport)
            name, wanted = self._config.name, self._wanted(connection)
            tasks.start_soon(follow, connection, name, self._limits, owner.update, wanted)
            await connection.ended.wait()
            # At once, because to end a process may take seconds.
            owner.lose(connection)
            tasks.cancel_scope.cancel()
