"""Judges a catalog as a whole: how much of what it serves it misses, and what its phrases are too few for."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from embeddings.arrays import IntArray
from embeddings.preflight.evidence import Evidence
from embeddings.preflight.finding import Finding, Missed, Severity
from embeddings.preflight.reading import Read
from embeddings.ranking.decision import SHOWN, Costs, decide
from embeddings.ranking.ranking import probabilities
from embeddings.training.build import Fit
from embeddings.training.calibration_data import HeldOut, held_out_signals

MISSED: Final = 0.2
"""Share of what is served that is expected to be `no_match`, for a warning: one phrase in five.

On 20 catalogs of 25 intents of CLINC150 and HWU64, with 1, 3 or 10 examples for all or half of them, the estimate is
0.03 from the share of other queries in the mean, 0.09 at most."""

MISSED_NOTE: Final = 0.1
"""The same, for a note."""

OUTSIDE: Final = 20
"""Out-of-scope phrases from which on they say something; fewer change nothing to speak of, see
`benchmarks.few_examples`."""

_NAMED: Final = 5
"""Labels that a finding names."""


def judge(told: Read, missed: Missed | None) -> Iterator[Finding]:
    """Yield what is the matter with the catalog as a whole.

    Args:
        told: what was read.
        missed: what `expected_missed` estimates.
    """
    bare = [entry.label.name for entry in told.entries if not entry.label.phrasings]
    if 0 < len(bare) < len(told.entries):
        named = ", ".join(repr(name) for name in bare[:_NAMED])
        rest = f" and {len(bare) - _NAMED} more" if len(bare) > _NAMED else ""
        yield Finding("uneven", "note", "", f"add three examples or more to {named}{rest}", texts=tuple(bare))
    if missed and missed.share >= MISSED_NOTE:
        severity: Severity = "warning" if missed.share >= MISSED else "note"
        advice = "add examples in users' words, or choose costs by which no_match counts for more"
        yield Finding("missed", severity, "", advice, probability=missed.share)
    if 0 < len(told.out_of_scope) < OUTSIDE:
        advice = f"list {OUTSIDE} or more, of what people really ask for in vain, or none"
        yield Finding("outside", "note", "", advice, "/outOfScope", texts=told.out_of_scope)


def expected_missed(fit: Fit, evidence: Sequence[Evidence], costs: Costs) -> Missed | None:
    """Estimate how much of what a catalog serves it calls `no_match`, from its examples; None without examples.

    An example counts as a phrase for a label with examples, while its fold is held out. If other labels have none, it
    counts for these as well, while half of the labels are without their examples.

    Args:
        fit: the catalog, fitted.
        evidence: of each label, gathered with the same costs.
        costs: what mistakes cost the caller.
    """
    missed = [query.answer.decision == "no_match" for found in evidence if found.by_examples for query in found.queries]
    if not missed:
        return None
    share = sum(missed) / len(missed)
    if fit.bare:
        described = fit.index.corpus.book.share_with_examples
        share = described * share + (1 - described) * _missed_by_bare(fit, *fit.bare, costs)
    return Missed(share, len(missed))


def _missed_by_bare(fit: Fit, halves: IntArray, held_out: HeldOut, costs: Costs) -> float:
    """Return the share of the examples that are `no_match` while their half of the labels has none."""
    rows, missed = np.flatnonzero(halves >= 0), 0
    for _, signals in held_out_signals(fit.index.corpus, rows, halves, held_out):
        *labels, none = probabilities(signals, fit.index.weights).tolist()
        missed += decide(sorted(labels, reverse=True)[:SHOWN], none, costs) == "no_match"
    return missed / len(rows)
