"""Watches a connection's messages: unusable results become errors that show them, and its end is noticed."""

import json
from collections.abc import Mapping
from contextvars import Context
from types import TracebackType
from typing import Any, Final, Self

import anyio
import mcp_types as types
from mcp.client._transport import ReadStream, TransportStreams, WriteStream
from mcp.shared.dispatcher import coerce_request_id
from mcp.shared.message import SessionMessage
from mcp_types.methods import validate_server_result
from mcp_types.version import LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter, ValidationError

from server.gateway.upstreams.transports.messages import SHOWN

RESULT_ADAPTER: Final[TypeAdapter[types.CallToolResult | types.InputRequiredResult]] = TypeAdapter(
    types.CallToolResult | types.InputRequiredResult
)

_LISTS: Final[Mapping[str, str]] = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}


_MODERN_DEFAULTS: Final[Mapping[str, Any]] = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
"""What 2026-07-28 requires and a server may have forgotten."""


class Tap:
    """Sees the messages of one connection.

    Attributes:
        version: the negotiated protocol version, by which results are checked.
        ended: set once the server sends nothing more.
        dropped: names of listed entries that were left out because they are malformed.
    """

    def __init__(self) -> None:
        self.version = LATEST_HANDSHAKE_VERSION
        self.ended = anyio.Event()
        self.dropped: list[str] = []
        self._methods: dict[types.RequestId, str] = {}

    def streams(self, inner: TransportStreams) -> TransportStreams:
        """The streams to use in place of these."""
        return _Read(inner[0], self), _Write(inner[1], self)

    def sent(self, message: SessionMessage) -> None:
        """Take note of a message to the server."""
        match message.message:
            case types.JSONRPCRequest(id=request, method=method) if method == "tools/call" or method in _LISTS:
                self._methods[coerce_request_id(request)] = method
            case types.JSONRPCNotification(method="notifications/cancelled", params={"requestId": request}):
                self._methods.pop(coerce_request_id(request), None)

    def received(self, message: SessionMessage) -> SessionMessage:
        """The message to use in place of one from the server."""
        match message.message:
            case types.JSONRPCResponse(id=request, result=result) as response:
                method = self._methods.pop(coerce_request_id(request), "")
                if method:
                    response.result = self._checked(method, result)
            case types.JSONRPCError(id=request) if request is not None:
                self._methods.pop(coerce_request_id(request), None)
        return message

    def _checked(self, method: str, result: dict[str, Any]) -> dict[str, Any]:
        if self.version in MODERN_PROTOCOL_VERSIONS:
            wanted = _MODERN_DEFAULTS if method in _LISTS else {"resultType": "complete"}
            result = {**wanted, **result}
        problem = self._problem(method, result)
        return self._usable(method, result, problem) if problem else result

    def _problem(self, method: str, result: dict[str, Any]) -> str:
        try:
            validate_server_result(method, self.version, result)
            if method == "tools/call":
                RESULT_ADAPTER.validate_python(result, by_name=False)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        return ""

    def _usable(self, method: str, result: dict[str, Any], problem: str) -> dict[str, Any]:
        if method == "tools/call":
            return malformed(json.dumps(result, ensure_ascii=False, default=str), problem)
        key = _LISTS[method]
        entries = result.get(key)
        if not isinstance(entries, list):
            return result
        kept = [entry for entry in entries if not self._problem(method, result | {key: [entry]})]
        named = (entry.get("name") if isinstance(entry, dict) else None for entry in entries if entry not in kept)
        self.dropped += [str(name) for name in named][: SHOWN - len(self.dropped)]
        return result | {key: kept}


def malformed(shown: str, problem: str) -> dict[str, Any]:
    """The result of a call whose own result cannot be used: an error that shows it."""
    cut = shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}... ({len(shown)} characters)"
    text = f"the server's result is malformed ({problem}); it is shown as it came; the call may have had effects: {cut}"
    return error_result(text)


def error_result(text: str) -> dict[str, Any]:
    """The result of a call that failed, on the wire."""
    return {"content": [{"type": "text", "text": text}], "isError": True, "resultType": "complete"}


class _Read:
    def __init__(self, inner: ReadStream[SessionMessage | Exception], tap: Tap):
        self._inner, self._tap = inner, tap

    @property
    def last_context(self) -> Context | None:
        """The context of the request that the last message belongs to, where the transport knows it."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        try:
            item = await self._inner.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            self._tap.ended.set()
            raise
        return item if isinstance(item, Exception) else self._tap.received(item)

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class _Write:
    def __init__(self, inner: WriteStream[SessionMessage], tap: Tap):
        self._inner, self._tap = inner, tap

    async def send(self, item: SessionMessage, /) -> None:
        self._tap.sent(item)
        await self._inner.send(item)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
