"""A preflight's report, with what was accepted before and where in the file its labels are."""

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from embeddings.preflight.finding import SEVERITIES, Finding, Report, Severity
from server.preflight.baseline import Baseline, Entry

_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+|".*', re.DOTALL)
"""A string, a mark, a number or word; a string without an end takes all that follows."""

_BYTE_ORDER_MARK: Final = "\ufeff"


@dataclass(frozen=True)
class Place:
    """A place in a text, as editors count: lines end with a newline, columns are characters; both from 1."""

    line: int
    column: int


def locate(text: str, pointers: Iterable[str]) -> dict[str, Place]:
    """Find where the values at these JSON pointers begin.

    A value that is not there has the place of the nearest one around it. Of an object's repeated keys the last holds,
    as for `json`. What follows an error in the JSON is placed as well as it can be.
    """
    wanted = {pointer: [*_around(pointer)] for pointer in pointers}
    known = {part for parts in wanted.values() for part in parts}
    deepest = max((pointer.count("/") for pointer in wanted), default=0)
    starts = {pointer: start for pointer, start in _values(text, deepest) if pointer in known}
    lines = [int(text.startswith(_BYTE_ORDER_MARK)), *(found.end() for found in re.finditer("\n", text))]
    return {pointer: _place(lines, _nearest(parts, starts, lines[0])) for pointer, parts in wanted.items()}


def _around(pointer: str) -> Iterator[str]:
    """Yield a pointer, then that of each value around its value."""
    while pointer:
        yield pointer
        pointer = pointer.rpartition("/")[0]
    yield ""


def _nearest(parts: Iterable[str], starts: Mapping[str, int], otherwise: int) -> int:
    return next((starts[part] for part in parts if part in starts), otherwise)


def _place(lines: list[int], start: int) -> Place:
    line = max(1, bisect_right(lines, start))
    return Place(line, start - lines[line - 1] + 1)


def _values(text: str, deepest: int) -> Iterator[tuple[str, int]]:
    """Yield the pointer and the start of each value that is at most so deep, in the order of the text."""
    path: list[str | int] = []  # The key or position being read, of each object or array that is open.
    names = False  # Whether the next string is a key.
    for token in _TOKEN.finditer(text, int(text.startswith(_BYTE_ORDER_MARK))):
        mark = token[0]
        if mark in {"}", "]"}:
            del path[-1:]
            names = False
        elif mark == ",":
            last = path[-1] if path else ""
            names = bool(path) and isinstance(last, str)
            if isinstance(last, int):
                path[-1] = last + 1
        elif names and mark != ":":
            path[-1], names = _key(mark), mark == "{"
        elif mark != ":":
            if len(path) <= deepest:
                yield "".join(f"/{part}" for part in path), token.start()
            if mark in {"{", "["}:
                names = mark == "{"
                path.append("" if names else 0)


def _key(token: str) -> str:
    try:
        key = str(json.loads(token, strict=False))
    except ValueError:
        key = token
    return key.replace("~", "~0").replace("/", "~1")


@dataclass(frozen=True)
class Source:
    """The source that was judged.

    Attributes:
        name: what reports call it.
        path: of the file, as it was given; empty if it is none.
        text: of the file.
    """

    name: str
    path: str = ""
    text: str = ""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a preflight, as formats write it.

    Attributes:
        report: what was found.
        source: what was judged.
        baseline: what was accepted before; None if nothing was given.
    """

    report: Report
    source: Source
    baseline: Baseline | None = None

    @cached_property
    def new(self) -> Sequence[Finding]:
        """The findings that are not accepted."""
        return [finding for finding in self.report.findings if self.entry(finding) is None]

    @cached_property
    def accepted(self) -> Sequence[tuple[Finding, Entry]]:
        """The findings that are accepted, each with the entry that accepts it."""
        return [(finding, entry) for finding in self.report.findings if (entry := self.entry(finding))]

    @cached_property
    def stale(self) -> Sequence[Entry]:
        """The entries of the baseline that accept nothing."""
        return self.baseline.stale(self.report.findings) if self.baseline else ()

    @cached_property
    def places(self) -> Mapping[str, Place]:
        """Where the labels of findings are in the file, by JSON pointer; nothing without a file."""
        if not self.source.path:
            return {}
        return locate(self.source.text, {finding.pointer for finding in self.report.findings})

    @cached_property
    def counts(self) -> Mapping[Severity, int]:
        """How many findings are new, by severity."""
        found = Counter(finding.severity for finding in self.new)
        return {severity: found[severity] for severity in SEVERITIES}

    def entry(self, finding: Finding) -> Entry | None:
        """Return the entry of the baseline that accepts a finding."""
        return self.baseline.entry(finding) if self.baseline else None

    def reaches(self, least: Severity) -> bool:
        """Return whether a new finding has at least this severity."""
        return any(self.counts[severity] for severity in SEVERITIES[: SEVERITIES.index(least) + 1])
