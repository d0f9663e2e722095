"""Samples of findings, to be written in every format."""

from typing import Final

from embeddings.preflight.finding import Finding, Report
from server.preflight.baseline import Baseline
from server.preflight.outcome import Outcome, Source

TEXT: Final = '{"labels": [\n  {"name": "Refund"},\n  {"name": "Shipping"}]}\n'

REFUSED: Final = Finding(
    "refused", "error", "", "'lables' is unknown; a catalog has 'labels'; correct it", "", texts=("a",)
)
CONFUSABLE: Final = Finding(
    "confusable",
    "warning",
    "Refund",
    "only 'Refund' says 'money'",
    "/labels/0",
    "Shipping",
    "where is it",
    0.4567,
    ("give it back", "send it"),
)
THIN: Final = Finding("thin", "note", "Shipping", "add a description", "/labels/1", texts=("send it",))

ALL: Final = (REFUSED, CONFUSABLE, THIN)
"""One finding of each severity."""


def outcome(
    *findings: Finding,
    baseline: Baseline | None = None,
    path: str = "catalog.json",
) -> Outcome:
    """Return an outcome with these findings, in a file unless `path` is empty."""
    source = Source(path, path, TEXT) if path else Source("the capabilities")
    return Outcome(Report(findings, 2, 5), source, baseline)


def accepting(*findings: Finding) -> Baseline:
    """Return a baseline of these findings."""
    return Baseline.accepting(findings, Baseline())
