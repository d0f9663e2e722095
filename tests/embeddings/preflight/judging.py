"""Judging catalogs in tests."""

from collections.abc import Sequence
from typing import Any

from embeddings.preflight.finding import Finding, Report, Rule
from embeddings.preflight.preflight import preflight
from tests.toy import ToyEncoder


class LimitedToyEncoder(ToyEncoder):
    """A toy encoder that reads forty characters."""

    def unread(self, text: str) -> str:
        return text[40:]


def judged(*labels: dict[str, Any], **beside: Any) -> Report:
    return preflight({"labels": list(labels), **beside}, LimitedToyEncoder())


def found(report: Report, rule: Rule) -> list[Finding]:
    return [finding for finding in report.findings if finding.rule == rule]


def named(findings: Sequence[Finding]) -> list[tuple[str, str | None]]:
    return [(finding.label, finding.other) for finding in findings]
