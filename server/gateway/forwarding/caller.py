"""Passes what an upstream says during a call to the caller, through the request that waits for the call."""

import logging
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from embeddings.text.invisible import visible
from server.gateway.configuration.upstream_config import UpstreamConfig, redacted
from server.gateway.forwarding import log_levels, questions
from server.gateway.upstreams.forwarding import Forwarding

logger = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Any]

_OWN_META: Final = re.compile(
    r"progress_?token|([a-z0-9-]+\.)*(modelcontextprotocol|mcp)(\.[a-z0-9-]+)*/.*", re.IGNORECASE
)
"""Keys of `_meta` that belong to the caller's own request."""


class Caller:
    """The caller of one upstream call.

    Attributes:
        request: the request that waits for the call; None while none does. Then messages are dropped.
        upstream: what is called.
    """

    def __init__(self, request: Context | None, upstream: UpstreamConfig) -> None:
        self.request = request
        self.upstream = upstream

    def forwarding(self) -> Forwarding:
        """Return where the call's messages go, as the request that waits now wants them."""
        request = self.request
        if request is None:
            return Forwarding()
        level = log_levels.least_severe(request)
        return Forwarding(
            progress=self.progressed,
            log=self.logged if level else None,
            log_level=level,
            elicit=questions.callback(self.asked),
            meta=passed_meta(request.meta),
        )

    async def progressed(self, progress: float, total: float | None, message: str | None) -> None:
        """Report progress to the request; the SDK sends nothing to one without a progress token."""
        if self.request is None:
            return
        shown = None if message is None else self._shown(visible(message, one_line=False))
        with _lost():
            await self.request.session.report_progress(progress, total, shown)

    async def logged(self, params: types.LoggingMessageNotificationParams) -> None:
        """Send a log message within the request, if it wants messages of this level."""
        request = self.request
        if request is None or not log_levels.wants(request, params.level):
            return
        name = self.upstream.name if not params.logger else f"{self.upstream.name}/{params.logger}"
        data = _each_text(params.data, self._shown)
        message = types.LoggingMessageNotificationParams(level=params.level, data=data, logger=self._shown(name))
        with _lost():
            await request.session.send_notification(
                types.LoggingMessageNotification(params=message), related_request_id=request.request_id
            )

    async def asked(self, params: types.ElicitRequestParams) -> types.ElicitResult | types.ErrorData:
        """Put an upstream's question to a legacy caller; declined where that cannot be done."""
        question = questions.question(params, self.upstream.name)
        request = self.request
        if request is None or question is None or not questions.can_answer(request, params):
            return self.declined("the caller cannot be asked, or the question is too large")
        if not request.session.can_send_request:
            return self.declined("its connection carries no requests to the caller")
        try:
            return await questions.ask(request, question)
        except MCPError as error:
            return error.error

    def declined(self, why: str) -> types.ElicitResult:
        """Return the answer to a question that nobody is asked, with a line in the log."""
        logger.warning("a question of server %r was declined: %s", self.upstream.name, why)
        return types.ElicitResult(action="decline")

    def _shown(self, text: str) -> str:
        return redacted(text, self.upstream.secrets)


def passed_meta(meta: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the part of a request's `_meta` that goes to the upstream: what the protocol does not reserve."""
    passed = {key: value for key, value in (meta or {}).items() if not _OWN_META.fullmatch(key)}
    return passed or None


def _lost() -> suppress:
    """Let a message be lost if the caller's connection has ended; the call itself ends elsewhere."""
    return suppress(MCPError, anyio.ClosedResourceError, anyio.BrokenResourceError)


def _each_text(value: Any, change: Any) -> Any:
    """Return the value with every text in it changed."""
    match value:
        case str():
            return change(value)
        case dict():
            return {change(key): _each_text(part, change) for key, part in value.items()}
        case list():
            return [_each_text(part, change) for part in value]
    return value
