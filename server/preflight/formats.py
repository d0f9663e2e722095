"""The formats that a preflight's outcome can be written in."""

import hashlib
import textwrap
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from embeddings.preflight.finding import RULES, SEVERITIES, Finding, Severity
from embeddings.text.invisible import escaped
from server import SERVER_NAME, package_version
from server.output import width
from server.preflight.baseline import Entry, Key, json_text
from server.preflight.messages import HELP, advised, counted, sentence, summary
from server.preflight.outcome import Outcome


def repository_path(path: str) -> str:
    """Return the path from the working folder, with slashes; the whole path of a file that is not in that folder."""
    whole = Path(path).resolve()
    folder = Path.cwd().resolve()
    return whole.relative_to(folder).as_posix() if whole.is_relative_to(folder) else whole.as_posix()


def repository_uri(path: str) -> str:
    """Return the same as a URI reference."""
    found = repository_path(path)
    return Path(found).as_uri() if Path(found).is_absolute() else quote(found)


_COMMANDS: Final[Mapping[Severity, str]] = {"error": "error", "warning": "warning", "note": "notice"}

_IN_MESSAGES: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTIES: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def to_github(outcome: Outcome) -> str:
    """Write an annotation for each new finding, and a line that sums up."""
    lines = [_annotation(outcome, finding) for finding in outcome.new]
    return "\n".join([*lines, f"preflight of {escaped(outcome.source.name)}: {summary(outcome)}"])


def _annotation(outcome: Outcome, finding: Finding) -> str:
    given = ",".join(f"{name}={value.translate(_IN_PROPERTIES)}" for name, value in _properties(outcome, finding))
    return f"::{_COMMANDS[finding.severity]} {given}::{advised(finding).translate(_IN_MESSAGES)}"


def _properties(outcome: Outcome, finding: Finding) -> Iterator[tuple[str, str]]:
    if place := outcome.places.get(finding.pointer):
        yield "file", repository_path(outcome.source.path)
        yield "line", str(place.line)
        yield "col", str(place.column)
    yield "title", f"preflight: {finding.rule}"


def to_json(outcome: Outcome) -> str:
    """Write the new findings, and how many there are of everything."""
    return json_text(as_value(outcome))


def as_value(outcome: Outcome) -> dict[str, Any]:
    """Return the new findings, and how many there are of everything, as a JSON value."""
    missed = outcome.report.missed
    expected = {"expectedMissed": {"share": round(missed.share, 3), "examples": missed.phrases}} if missed else {}
    return {"findings": [as_dict(finding) for finding in outcome.new], "summary": totals(outcome), **expected}


def as_dict(finding: Finding) -> dict[str, Any]:
    """Return a finding as a JSON value, without what is absent."""
    value = {
        "rule": finding.rule,
        "severity": finding.severity,
        "label": finding.label,
        "other": finding.other,
        "phrase": finding.phrase,
        "probability": None if finding.probability is None else round(finding.probability, 3),
        "suggestion": finding.suggestion,
    }
    return {name: each for name, each in value.items() if each is not None}


def totals(outcome: Outcome) -> dict[str, int]:
    """Return how much was judged and found; accepted findings count as accepted only."""
    return {
        "labels": outcome.report.labels,
        "phrases": outcome.report.phrases,
        "errors": outcome.counts["error"],
        "warnings": outcome.counts["warning"],
        "notes": outcome.counts["note"],
        "accepted": len(outcome.accepted),
        "stale": len(outcome.stale),
    }


SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

FINGERPRINT: Final = "ruleLabelsTexts/v1"
"""Name of the fingerprint: a hash of what makes two findings the same."""

_ORDER: Final = list(RULES)


def to_sarif(outcome: Outcome) -> str:
    """Write all findings; those that are accepted are suppressed."""
    run = {
        "tool": {"driver": _driver()},
        "invocations": [{"executionSuccessful": True}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(outcome, finding) for finding in outcome.report.findings],
        "properties": totals(outcome),
    }
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _driver() -> dict[str, Any]:
    return {
        "name": f"{SERVER_NAME} preflight",
        "version": package_version(),
        "rules": [
            {
                "id": rule,
                "shortDescription": {"text": _capitalized(clause)},
                "fullDescription": {"text": HELP[rule]},
                "help": {"text": HELP[rule]},
            }
            for rule, clause in RULES.items()
        ],
    }


def _capitalized(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."


def _plain(text: str) -> str:
    """Return a message in which a label's text makes no link: viewers show `[text](address)` as one."""
    return text.replace("](", "] (")


def _result(outcome: Outcome, finding: Finding) -> dict[str, Any]:
    entry, location = outcome.entry(finding), _location(outcome, finding)
    return {
        "ruleId": finding.rule,
        "ruleIndex": _ORDER.index(finding.rule),
        "level": finding.severity,
        "message": {"text": _plain(_capitalized(advised(finding)))},
        "locations": [location] if location else [],
        "partialFingerprints": {FINGERPRINT: _fingerprint(finding)},
        **({"baselineState": "unchanged" if entry else "new"} if outcome.baseline else {}),
        **({"suppressions": [_suppression(entry)]} if entry else {}),
        "properties": {name: value for name, value in as_dict(finding).items() if name not in {"rule", "severity"}},
    }


def _location(outcome: Outcome, finding: Finding) -> dict[str, Any]:
    """Return where a finding is: its label, and the file and the line if there is a file; empty if there is neither."""
    named = {"logicalLocations": [{"name": escaped(finding.label), "kind": "object"}]} if finding.label else {}
    place = outcome.places.get(finding.pointer)
    if place is None:
        return named
    region = {"startLine": place.line, "startColumn": place.column}
    artifact = {"uri": repository_uri(outcome.source.path)}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}, **named}


def _suppression(entry: Entry) -> dict[str, str]:
    reason = {"justification": escaped(entry.reason)} if entry.reason else {}
    return {"kind": "external", "status": "accepted", **reason}


def _fingerprint(finding: Finding) -> str:
    return hashlib.sha256(json_text(Key.of(finding)).encode()).hexdigest()


WIDEST: Final = 80
_RULE: Final = max(map(len, RULES))
_GAP: Final = "  "
_MIN_COLUMNS: Final = 20
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
    room = max(_MIN_COLUMNS, _columns() - lead)
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


WRITERS: Final[Mapping[str, Callable[[Outcome], str]]] = {
    "text": to_text,
    "json": to_json,
    "sarif": to_sarif,
    "github": to_github,
}
"""The writer of each format."""
