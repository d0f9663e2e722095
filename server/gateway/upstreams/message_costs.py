"""Limits of an upstream's messages in units that cost time: values, entries of a list, notices.

A limit in bytes alone does not bound the work: 20 MiB of `[]` are five million values, and reading a message holds the
event loop, on which every other caller and upstream waits. `benchmarks/worst_cases.py` measures each limit.
"""

import re
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import anyio

MAX_VALUES: Final = 400_000
"""Values of one message that is read, counted as what begins them: commas, brackets and braces outside of strings.
2,000 tools of 2 kB have about 270,000."""

MAX_RESULT_VALUES: Final = 100_000
"""Values of a result that is passed on; a whole number counts once for each 64 bits, since digits cost time to read and
to write. The caller's answer is checked and written on the event loop, too: of 400,000 values that took 1.9 seconds, of
100,000 it takes 0.5."""

MAX_ENTRIES: Final = 5_000
"""Entries of one list of a result, each of which is checked against the protocol: 35 microseconds for a text."""

MAX_NOTICES: Final = 200
"""Notices and requests of one connection in a second; further notices are dropped, and further requests wait."""

_DROPPED_AT_ONCE: Final = 50
_PAUSE: Final = 0.01
"""Seconds for which a connection rests after each 50 messages too many, so that a flood takes a tenth of a core."""

_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_BREAK: Final = re.compile(rb"\r\n|\n|\r")
_ESCAPED_QUOTE: Final = rb"\""
_BEGINNINGS: Final = (b",", b"[", b"{")


def count_values(text: bytes) -> int:
    """Count the values of a JSON text; of one that has more than `MAX_VALUES`, at least that many."""
    if _beginnings(text) <= MAX_VALUES:
        return _beginnings(text)
    # A quotation mark that no backslash precedes begins or ends a string, and of two
    # strings at most one is a key.
    sure = (text.count(b'"') - text.count(_ESCAPED_QUOTE)) // 4
    return sure if sure > MAX_VALUES else _beginnings(_STRING.sub(b"", text))


def _beginnings(text: bytes) -> int:
    return sum(map(text.count, _BEGINNINGS))


def values_error(most: int = MAX_VALUES) -> str:
    """Return the error message for an answer of more values than `most`."""
    return (
        f"the server's answer has over {most:,} values; at most {most:,} are passed on; ask the tool for less at a time"
    )


def result_error(result: Mapping[str, Any]) -> str:
    """Return the error message for a result of too many values, or entries of a list; empty if it may pass."""
    for name, value in result.items():
        # Requests for input are the only mapping whose values are checked one by one.
        checked = isinstance(value, list) or (name == "inputRequests" and isinstance(value, dict))
        if checked and len(value) > MAX_ENTRIES:
            return (
                f"the server's answer has {len(value):,} entries in {name[:100]!r}; at most {MAX_ENTRIES:,} are passed "
                "on; ask the tool for less at a time"
            )
    return values_error(MAX_RESULT_VALUES) if _has_too_many_values(result) else ""


def _has_too_many_values(result: Mapping[str, Any]) -> bool:
    count, unread = 0, [iter(result.values())]
    while unread and count <= MAX_RESULT_VALUES:
        for value in unread.pop():
            count += 1 + (value.bit_length() // 64 if isinstance(value, int) else 0)
            if isinstance(value, list | dict):
                unread.append(iter(value.values() if isinstance(value, dict) else value))
    return count > MAX_RESULT_VALUES


class EventValues:
    """Counts the values of each event of an event stream, whatever parts it arrives in."""

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._lines: list[bytes] = []
        self._half_break = b""

    def feed(self, part: bytes) -> int:
        """Return the most values of an event that ends in this part."""
        part = self._half_break + part
        # A break of two characters may be cut apart.
        self._half_break = part[-1:] if part.endswith(b"\r") else b""
        pieces = _BREAK.split(part[: len(part) - len(self._half_break)])
        largest = 0
        for piece in pieces[:-1]:
            line = b"".join([*self._line, piece])
            self._line = []
            self._lines.append(line)
            if not line:
                largest = max(largest, count_values(b"".join(self._lines)))
                self._lines = []
        self._line.append(pieces[-1])
        return largest


class Pace:
    """Lets the notices of one connection through as fast as `MAX_NOTICES` says.

    Args:
        clock: gives seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._second, self._count, self._beyond = clock(), 0, 0

    async def turn(self) -> bool:
        """Return whether one more may pass now; if not, the connection rests now and then."""
        if self._counts():
            return True
        self._beyond += 1
        if self._beyond % _DROPPED_AT_ONCE == 0:
            await anyio.sleep(_PAUSE)
        return False

    async def wait(self) -> None:
        """Wait until one more may pass."""
        while not self._counts():
            await anyio.sleep(_PAUSE)

    def _counts(self) -> bool:
        if self._clock() - self._second >= 1:
            self._second, self._count = self._clock(), 0
        self._count += 1
        return self._count <= MAX_NOTICES
