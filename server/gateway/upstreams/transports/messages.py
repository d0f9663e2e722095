"""JSON-RPC messages from an upstream's bytes: bounded lines, and errors in the place of unusable answers."""

import json
import re
from dataclasses import dataclass
from typing import Any, Final

import mcp_types as types
from mcp.shared.message import SessionMessage

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
        """The lines that end in this chunk."""
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
    """The message of a line; an error in its place if it is an unusable answer; None if it is no message."""
    if isinstance(line, LongLine):
        answered = _id_by_pattern(line.start.decode(errors="replace"), line.end.decode(errors="replace"))
        return None if answered is None else error_message(answered, TOO_LARGE, size_error(line.size, most))
    text = line.decode(errors="replace")
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(text, by_name=False))
    except ValueError:
        answered = _id_of_unusable(text)
        return None if answered is None else error_message(answered, UNREADABLE, text[:SHOWN])


def error_message(request: types.RequestId, code: int, text: str, data: Any = None) -> SessionMessage:
    """An error as the answer to a request."""
    error = types.ErrorData(code=code, message=text, data=data)
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=request, error=error))


def size_error(size: int | None, most: int) -> str:
    """What to say of a message that is too large; the size is None if only the limit is known."""
    found = f"{size:,} bytes" if size is not None else f"over {most:,} bytes"
    return f"the server's answer has {found}; at most {most:,} are passed on; ask the tool for less at a time"


def _id_of_unusable(text: str) -> types.RequestId | None:
    """The request that a line answers although it is no JSON-RPC message."""
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
