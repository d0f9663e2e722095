"""The outcome as one JSON object on one line."""

from typing import Any

from embeddings.preflight.finding import Finding
from server.preflight.json_text import json_text
from server.preflight.outcome import Outcome


def to_json(outcome: Outcome) -> str:
    """Write the new findings, and how many there are of everything."""
    return json_text(as_value(outcome))


def as_value(outcome: Outcome) -> dict[str, Any]:
    """The new findings, and how many there are of everything, as a JSON value."""
    return {"findings": [as_dict(finding) for finding in outcome.new], "summary": totals(outcome)}


def as_dict(finding: Finding) -> dict[str, Any]:
    """A finding as a JSON value, without what is absent."""
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
    """How much was judged and found; accepted findings count as accepted only."""
    return {
        "labels": outcome.report.labels,
        "phrases": outcome.report.phrases,
        "errors": outcome.counts["error"],
        "warnings": outcome.counts["warning"],
        "notes": outcome.counts["note"],
        "accepted": len(outcome.accepted),
        "stale": len(outcome.stale),
    }
