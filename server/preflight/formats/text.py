"""The outcome as a table for people, at most 80 columns wide."""

import textwrap
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from embeddings.preflight.finding import RULES, SEVERITIES, Finding
from embeddings.text.invisible import escaped
from server.output import width
from server.preflight.messages import counted, sentence, summary
from server.preflight.outcome import Outcome

WIDEST: Final = 80
_RULE: Final = max(map(len, RULES))
_GAP: Final = "  "
_LEAST: Final = 20
"""Columns that a finding gets at least, on however narrow a terminal."""


def to_text(outcome: Outcome) -> str:
    """Write the new findings, the gravest first, and a line that sums up."""
    return "\n".join([*_groups(outcome), _wrapped(summary(outcome), _columns())])


def _groups(outcome: Outcome) -> Iterator[str]:
    """Yield the lines of each severity that has findings, each group with an empty line after it."""
    lines = {finding: _line(outcome, finding) for finding in outcome.new}
    widest = max(map(len, lines.values()), default=0)
    for severity in SEVERITIES:
        found = [finding for finding in outcome.new if finding.severity == severity]
        if found:
            yield counted(len(found), severity)
            for finding in found:
                yield from _row(finding, lines[finding], widest)
            yield ""


def _line(outcome: Outcome, finding: Finding) -> str:
    place = outcome.places.get(finding.pointer)
    return f"line {place.line}" if place else ""


def _row(finding: Finding, line: str, widest: int) -> Iterator[str]:
    """Yield the rule, the line in the file, and in a column of their own the finding and the suggestion below it."""
    lead = len(_GAP) + _RULE + len(_GAP) + (widest + len(_GAP) if widest else 0)
    room = max(_LEAST, _columns() - lead)
    cells = [finding.rule.ljust(_RULE), *([line.ljust(widest)] if widest else [])]
    first = _GAP + _GAP.join(cells) + _GAP
    said = _wrapped(sentence(finding), room).splitlines()
    advice = _wrapped(escaped(finding.suggestion), room - len(_GAP)).splitlines()
    told = [*said, *(f"{_GAP}{each}" for each in advice)]
    for start, part in zip_longest([first], told, fillvalue=" " * lead):
        yield f"{start}{part}".rstrip()


def _columns() -> int:
    return min(width(), WIDEST)


def _wrapped(text: str, columns: int) -> str:
    """Wrapped text; a word that is too long for a line is broken."""
    return textwrap.fill(text, columns, break_on_hyphens=False)
