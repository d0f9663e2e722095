"""JSON-RPC messages from an upstream's bytes: bounded lines, and errors in the place of unusable answers."""

import json
import re
from collections.abc import Mapping
from contextvars import Context
from dataclasses import dataclass
from itertools import compress
from operator import not_
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

from server.gateway.upstreams.message_costs import (
    MAX_ENTRIES,
    MAX_VALUES,
    Pace,
    count_values,
    result_error,
    values_error,
)

UNAUTHORIZED: Final = -32991
UNREACHABLE: Final = -32992
TOO_LARGE: Final = -32993
UNREADABLE: Final = -32994
"""Codes of the errors that the transports put in the place of an answer."""

SHOWN: Final = 10_000
"""Maximum characters of a malformed answer that are shown."""

_KEPT: Final = 400
_ID: Final = r'"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?\d{1,18})'
_ID_AT_START: Final = re.compile(r'^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?' + _ID)
_ID_AT_END: Final = re.compile(_ID + r'\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')


@dataclass(frozen=True)
class LongLine:
    """A line over the limit, of which only the ends are kept."""

    start: bytes
    end: bytes
    size: int


class Lines:
    """Splits bytes into lines, and holds at most one line of `most` bytes."""

    def __init__(self, most: int):
        self._most = most
        self._parts: list[bytes] = []
        self._size = 0
        self._start = b""
        self._end = b""

    def feed(self, chunk: bytes) -> list[bytes | LongLine]:
        """Return the lines that end in this chunk."""
        *ended, rest = chunk.split(b"\n")
        lines = []
        for part in ended:
            self._keep(part)
            lines.append(self._take())
        self._keep(rest)
        return lines

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size <= self._most:
            self._parts.append(part)
            return
        if self._parts:
            whole = b"".join(self._parts)
            self._start, self._end = (whole + part)[:_KEPT], whole[-_KEPT:]
            self._parts = []
        self._start = self._start or part[:_KEPT]
        self._end = (self._end + part[-_KEPT:])[-_KEPT:]

    def _take(self) -> bytes | LongLine:
        line: bytes | LongLine = b"".join(self._parts)
        if self._size > self._most:
            line = LongLine(self._start, self._end, self._size)
        self._parts, self._size, self._start, self._end = [], 0, b"", b""
        return line


def read_message(line: bytes | LongLine, most: int) -> SessionMessage | None:
    """Return the message of a line; an error in its place if it is an unusable answer; None if it is no message."""
    if isinstance(line, LongLine):
        answered = _id_by_pattern(line.start.decode(errors="replace"), line.end.decode(errors="replace"))
        return None if answered is None else error_message(answered, TOO_LARGE, size_error(line.size, most))
    if count_values(line) > MAX_VALUES:
        answered = _id_by_pattern(line[:_KEPT].decode(errors="replace"), line[-_KEPT:].decode(errors="replace"))
        return None if answered is None else error_message(answered, TOO_LARGE, values_error())
    text = line.decode(errors="replace")
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(text, by_name=False))
    except ValueError:
        answered = _id_of_unusable(text)
        return None if answered is None else error_message(answered, UNREADABLE, text[:SHOWN])


def error_message(request: types.RequestId, code: int, text: str, data: Any = None) -> SessionMessage:
    """Return an error as the answer to a request."""
    error = types.ErrorData(code=code, message=text, data=data)
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=request, error=error))


def size_error(size: int | None, most: int) -> str:
    """Return the error message for a message that is too large; the size is None if only the limit is known."""
    found = f"{size:,} bytes" if size is not None else f"over {most:,} bytes"
    return f"the server's answer has {found}; at most {most:,} are passed on; ask the tool for less at a time"


def _id_of_unusable(text: str) -> types.RequestId | None:
    """Return the request that a line answers although it is no JSON-RPC message."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _id_by_pattern(text[:_KEPT], text[-_KEPT:])
    known = value.get("id")
    return known if isinstance(known, int | str) and "method" not in value else None


def _id_by_pattern(start: str, end: str) -> types.RequestId | None:
    if (found := _ID_AT_START.search(start) or _ID_AT_END.search(end)) is None:
        return None
    try:
        known: types.RequestId = json.loads(found[1])
    except ValueError:
        return None
    return known


RESULT_ADAPTER: Final[TypeAdapter[types.CallToolResult | types.InputRequiredResult]] = TypeAdapter(
    types.CallToolResult | types.InputRequiredResult
)

_LISTS: Final[Mapping[str, str]] = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}


_DROPPED_IF_TOO_MANY: Final = ("notifications/message", "notifications/progress")

_MODERN_DEFAULTS: Final[Mapping[str, Any]] = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
"""Fields that 2026-07-28 requires and a server may have forgotten."""


class MessageInspector:
    """Sees the messages of one connection.

    Attributes:
        version: the negotiated protocol version, by which results are checked.
        ended: set once the server sends nothing more.
        left_out: names of listed entries that are malformed.
    """

    def __init__(self) -> None:
        self.version = LATEST_HANDSHAKE_VERSION
        self.ended = anyio.Event()
        self.left_out: list[str] = []
        self._methods: dict[types.RequestId, str] = {}
        self._pace = Pace()

    def streams(self, inner: TransportStreams) -> TransportStreams:
        """Return the streams to use in place of these."""
        return _Read(inner[0], self), _Write(inner[1], self)

    def sent(self, message: SessionMessage) -> None:
        """Take note of a message to the server."""
        match message.message:
            case types.JSONRPCRequest(id=request, method=method):
                self._methods[coerce_request_id(request)] = method
            case types.JSONRPCNotification(method="notifications/cancelled", params={"requestId": request}):
                self._methods.pop(coerce_request_id(request), None)

    def received(self, message: SessionMessage) -> SessionMessage:
        """Return the message to use in place of one from the server."""
        match message.message:
            case types.JSONRPCResponse(id=request, result=result) as response:
                method = self._methods.pop(coerce_request_id(request), "")
                if method in _LISTS:
                    response.result = self._checked(method, self._shortened(method, result))
                elif error := result_error(result):
                    return error_message(request, TOO_LARGE, error)
                elif method == "tools/call":
                    response.result = self._checked(method, result)
            case types.JSONRPCError(id=request) if request is not None:
                self._methods.pop(coerce_request_id(request), None)
        return message

    async def passes(self, message: SessionMessage) -> bool:
        """Return whether a message of the server passes on; what comes too fast and may not be dropped has waited."""
        match message.message:
            case types.JSONRPCResponse(id=request) if coerce_request_id(request) in self._methods:
                return True
            case types.JSONRPCNotification(method=method) if method not in _DROPPED_IF_TOO_MANY:
                await self._pace.wait()
                return True
            case types.JSONRPCResponse() | types.JSONRPCNotification():
                return await self._pace.turn()
        await self._pace.wait()
        return True

    def _shortened(self, method: str, result: dict[str, Any]) -> dict[str, Any]:
        """Return a list of which one entry more is kept than is used, which tells that it was cut."""
        key = _LISTS[method]
        entries = result.get(key)
        return result | {key: entries[: MAX_ENTRIES + 1]} if isinstance(entries, list) else result

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
        entries = [_with_type(entry) for entry in entries]
        usable = [not self._problem(method, result | {key: [entry]}) for entry in entries]
        unusable = compress(entries, map(not_, usable))
        named = (entry.get("name") if isinstance(entry, dict) else None for entry in unusable)
        self.left_out += [str(name) for name in named][: SHOWN - len(self.left_out)]
        return result | {key: [*compress(entries, usable)]}


def _with_type(entry: Any) -> Any:
    """Return a tool whose schema of arguments says that these are an object, which some servers forget."""
    schema = entry.get("inputSchema") if isinstance(entry, dict) else None
    if not isinstance(schema, dict) or "type" in schema:
        return entry
    return entry | {"inputSchema": {"type": "object", **schema}}


def malformed(shown: str, problem: str) -> dict[str, Any]:
    """Return the result of a call whose own result cannot be used: an error that shows it."""
    cut = shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}... ({len(shown)} characters)"
    text = f"the server's result is malformed ({problem}); it is shown as it came; the call may have had effects: {cut}"
    return error_result(text)


def error_result(text: str) -> dict[str, Any]:
    """Return the result of a call that failed, on the wire."""
    return {"content": [{"type": "text", "text": text}], "isError": True, "resultType": "complete"}


class _Read:
    def __init__(self, inner: ReadStream[SessionMessage | Exception], inspector: MessageInspector):
        self._inner, self._inspector = inner, inspector

    @property
    def last_context(self) -> Context | None:
        """The context of the request that the last message belongs to, where the transport knows it."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        while True:
            try:
                item = await self._inner.receive()
            except (anyio.EndOfStream, anyio.ClosedResourceError):
                self._inspector.ended.set()
                raise
            if isinstance(item, Exception):
                return item
            if await self._inspector.passes(item):
                return self._inspector.received(item)

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
    def __init__(self, inner: WriteStream[SessionMessage], inspector: MessageInspector):
        self._inner, self._inspector = inner, inspector

    async def send(self, item: SessionMessage, /) -> None:
        self._inspector.sent(item)
        await self._inner.send(item)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
