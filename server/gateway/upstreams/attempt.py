"""One attempt to connect to an upstream, and the time for which it stays connected."""

import math
from collections.abc import Callable
from typing import Literal

import anyio

from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.upstreams.connection import Connection, connect
from server.gateway.upstreams.failures import reason
from server.gateway.upstreams.following import follow
from server.gateway.upstreams.lists import KINDS, Lists, read_lists
from server.gateway.upstreams.oauth.stored_login import stored_login
from server.gateway.upstreams.states import Limits
from server.gateway.upstreams.transports.http import HttpTransport
from server.gateway.upstreams.transports.stdio import StdioTransport

Failure = tuple[Literal["down", "unauthorized"], str]


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

    async def live(self, use: Callable[[Connection, Lists], None], update: Callable[[Lists], None]) -> Failure:
        """Connect, and stay connected for as long as possible.

        Args:
            use: gets the connection and its lists once it is ready.
            update: gets lists that changed.

        Returns:
            Why it ended.
        """
        if self._config.transport == "stdio":
            return await self._over(StdioTransport(self._config, self._limits.message), use, update)
        first = self._http(sse=self._config.transport == "sse")
        failure = await self._over(first, use, update)
        if self.was_ready or not first.refused or self._config.transport == "sse":
            return failure
        return await self._over(self._http(sse=True), use, update, otherwise=failure)

    def _http(self, *, sse: bool) -> HttpTransport:
        return HttpTransport(self._config, self._limits.message, stored_login(self._config), sse=sse)

    async def _over(
        self,
        transport: StdioTransport | HttpTransport,
        use: Callable[[Connection, Lists], None],
        update: Callable[[Lists], None],
        otherwise: Failure | None = None,
    ) -> Failure:
        began = math.inf
        failure: Failure = ("down", f"it did not start within {self._seconds:g} seconds")
        try:
            with anyio.CancelScope(deadline=anyio.current_time() + self._seconds) as scope:
                async with connect(transport, self._mode, several_callers=self._several_callers) as connection:
                    lists = await self._lists(connection)
                    scope.deadline = math.inf
                    self.was_ready, began = True, anyio.current_time()
                    use(connection, lists)
                    await self._until_the_end(transport, connection, update)
                    failure = connection.failure or ("down", connection.why() or "the server closed the connection")
        except Exception as error:
            kind, why = reason(error)
            failure = kind, transport.why or why
        if began < math.inf:
            self.was_ready_for = anyio.current_time() - began
            otherwise = None
        return otherwise or self._advised(failure)

    async def _lists(self, connection: Connection) -> Lists:
        if self._listed:
            return await read_lists(connection.client, self._config.name, self._limits, KINDS)
        if connection.modern and self._config.transport != "stdio":
            # The headers of calls are made from the tools' schemas.
            return await read_lists(connection.client, self._config.name, self._limits, ("tools",))
        return {}

    async def _until_the_end(
        self, transport: StdioTransport | HttpTransport, connection: Connection, update: Callable[[Lists], None]
    ) -> None:
        async def watch(failing: HttpTransport) -> None:
            await failing.failed.wait()
            connection.fail("unauthorized" if failing.unauthorized else "down", failing.why)

        async with anyio.create_task_group() as tasks:
            if isinstance(transport, HttpTransport):
                tasks.start_soon(watch, transport)
            if self._listed:
                tasks.start_soon(follow, connection, self._config.name, self._limits, update)
            await connection.ended.wait()
            tasks.cancel_scope.cancel()

    def _advised(self, failure: Failure) -> Failure:
        kind, why = failure
        if kind == "down" or any(name.casefold() == "authorization" for name in self._config.headers):
            return failure
        return kind, f'{why}; run "agent-capabilities gateway login {self._config.name}"'
