"""The outcome as annotations of GitHub Actions: workflow commands that a step prints."""

from collections.abc import Iterator, Mapping
from typing import Final

from embeddings.preflight.finding import Finding, Severity
from embeddings.text.invisible import escaped
from server.preflight.messages import advised, summary
from server.preflight.outcome import Outcome
from server.preflight.paths import repository_path

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
