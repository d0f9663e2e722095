"""Passes messages of a running request back to its caller, and finds which request a server's message belongs to."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.client.session import ClientRequestContext, ElicitationFnT
from mcp.shared.dispatcher import ProgressFnT

LogFnT = Callable[[types.LoggingMessageNotificationParams], Awaitable[None]]


@dataclass(frozen=True)
class Forwarding:
    """Where messages about one request go; what is None is not forwarded, and an elicitation is then declined.

    Attributes:
        progress: receives progress.
        log: receives log messages.
        log_level: least severe log message that the caller wants; None asks the server for none.
        elicit: puts a server's question to the user.
        meta: `_meta` of the request, passed to the server.
    """

    progress: ProgressFnT | None = None
    log: LogFnT | None = None
    log_level: types.LoggingLevel | None = None
    elicit: ElicitationFnT | None = None
    meta: Mapping[str, Any] | None = None


NOTHING_FORWARDED: Final = Forwarding()


class Running:
    """One request under way: its forwarding and its time limit, which progress extends and a question suspends."""

    def __init__(self, forward: Forwarding, seconds: float, most: float):
        self.forward, self._seconds = forward, seconds
        self._end = anyio.current_time() + most
        self._questions = 0
        self.scope = anyio.CancelScope(deadline=min(anyio.current_time() + seconds, self._end))

    async def progressed(self, progress: float, total: float | None, message: str | None) -> None:
        """Extend the time limit and forward the progress."""
        self._extend()
        if self.forward.progress:
            await self.forward.progress(progress, total, message)

    async def ask(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult | types.ErrorData:
        """Forward a question; its answer may take a person's time."""
        if self.forward.elicit is None:
            return types.ElicitResult(action="decline")
        self._questions += 1
        self.scope.deadline = self._end
        try:
            return await self.forward.elicit(context, params)
        finally:
            self._questions -= 1
            self._extend()

    def _extend(self) -> None:
        if not self._questions:
            self.scope.deadline = min(anyio.current_time() + self._seconds, self._end)


_current: ContextVar[Running | None] = ContextVar("running_upstream_request", default=None)


@dataclass
class RunningRequests:
    """The requests under way on one connection.

    Over HTTP a server's message arrives in the context of the request that it belongs to. Over stdio nothing says which
    request a message belongs to: with one caller it is the newest, with several it is known only if one is under way.
    """

    several_callers: bool = False
    _running: list[Running] = field(default_factory=list)

    @contextmanager
    def running(self, request: Running) -> Iterator[Running]:
        """Register a request for as long as it is under way."""
        token = _current.set(request)
        self._running.append(request)
        try:
            yield request
        finally:
            self._running.remove(request)
            _current.reset(token)

    async def elicit(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult | types.ErrorData:
        """Answer a server's elicitation: by the caller of its request, or decline."""
        request = self._of_message()
        return await request.ask(context, params) if request else types.ElicitResult(action="decline")

    async def log(self, params: types.LoggingMessageNotificationParams) -> None:
        """Forward a server's log message to the caller of its request."""
        request = self._of_message()
        if request and request.forward.log:
            await request.forward.log(params)

    def _of_message(self) -> Running | None:
        known = _current.get()
        if known is not None and known in self._running:
            return known
        if len(self._running) == 1 or (self._running and not self.several_callers):
            return self._running[-1]
        return None
