"""Fits the weights of statements, `embeddings/statements/weights.json`: `python -m benchmarks.fit_statements --write`.

`narrow_questions.jsonl` are questions that one statement of one agent's entry settles, written by others than the
questions in `data/agents/*/capabilities/questions.json`. Plain questions are `dev.jsonl` and, for the evidence,
`apart_needs.jsonl`. The figures are of questions that the weights were not fitted to: each fifth by the others.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from benchmarks.narrow_questions import Measuring, Question, Signals, grouped, narrow, places, plain
from benchmarks.priors import logit
from embeddings.arrays import DoubleArray
from embeddings.matcher import Matcher
from embeddings.ranking.ranking import probabilities
from embeddings.statements import relevance
from embeddings.statements.relevance import FILE
from server.matching.service import open_service
from server.paths import shipped_data

FOLDS: Final = 5

EVIDENCE_SHARE: Final = 0.25
"""Share of narrow questions that the evidence is fitted for. With 0.4, 0.25 and 0.15, first place of narrow questions
is 0.712, 0.700 and 0.688 (0.602 without statements), among three 0.902, 0.898 and 0.874 (0.793); of plain ones, first
place is 0.917, 0.913 and 0.917 (0.917), and among three 0.977, 0.981 and 0.983 (0.985).

A second question for 2,717 of the 3,400 statements, by four other authors, moved none of it up, and first place among
statements of the right entry by one point; the first two held the settling one for 0.864 instead of 0.893."""

RELEVANCE_SHARE: Final = 2 / 3
"""The same for relevance, where a statement that is shown in vain costs little: the capability is right, and the caller
reads the statement."""


def fit(asked: Sequence[Signals], besides: Sequence[Signals], share: float) -> DoubleArray:
    """Fit the weights of all signals to narrow questions, which count as this share of all, and to plain ones."""
    importance = share / (1 - share) * len(besides) / len(asked)
    return logit.fit([*grouped(asked, importance), *grouped(besides)], np.ones(asked[0].values.shape[1], dtype=bool))


def crossed(
    asked: Sequence[Signals], besides: Sequence[Signals], share: float, look: Callable[[Signals, DoubleArray], bool]
) -> float:
    """Return the share of questions that look right when the weights are fitted to the other folds and to `besides`."""
    right = 0
    for fold in range(FOLDS):
        weights = fit([one for place, one in enumerate(asked) if place % FOLDS != fold], besides, share)
        right += sum(look(one, weights) for place, one in enumerate(asked) if place % FOLDS == fold)
    return right / len(asked)


def within(most: int) -> Callable[[Signals, DoubleArray], bool]:
    """Return whether a right alternative is among the first `most`."""
    return lambda one, weights: bool(places([one], weights)[0] < most)


def marked(one: Signals, weights: DoubleArray) -> bool:
    """Return whether the right statement is called relevant."""
    found = probabilities(one.values, weights)[:-1]
    shown = [
        row
        for row in np.argsort(-found, kind="stable")[: relevance.MAX_RELEVANT]
        if found[row] >= relevance.MIN_PROBABILITY
    ]
    return bool(np.isin(one.right, shown).any())


def marks(signals: Sequence[Signals], weights: DoubleArray) -> float:
    """Return the mean number of statements that are called relevant."""
    found = [np.sort(probabilities(one.values, weights)[:-1])[-relevance.MAX_RELEVANT :] for one in signals]
    return float(np.mean([(each >= relevance.MIN_PROBABILITY).sum() for each in found]))


def main() -> None:
    """Fit the weights and print them with their figures; with --write, store them."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--write", action="store_true", help=f"store the weights in {FILE.name}")
    chosen = options.parse_args()
    service = open_service(shipped_data())
    matcher, reader = service.matchers.load(), service.statements
    if reader is None:
        options.error(
            "the statements have no vectors; they are ranked by these; run 'agent-capabilities build-vectors'"
        )
    measuring = Measuring(service.catalog, matcher, reader)
    asked, plainly = narrow(), plain(list(service.catalog.agents))
    print(f"{len(asked)} narrow questions, {len(plainly)} plain ones", file=sys.stderr)
    found = _evidence(measuring, asked, plainly)
    stored = {
        "origin": "benchmarks/fit_statements.py",
        "evidence": _named(relevance.EVIDENCE_SIGNALS, found),
        "relevance": _named(relevance.SIGNALS, _relevance(measuring, matcher, found, asked, plainly)),
    }
    print(json.dumps(stored, indent=1))
    if chosen.write:
        FILE.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


def _evidence(measuring: Measuring, asked: Sequence[Question], plainly: Sequence[Question]) -> DoubleArray:
    of_asked = [found for one in asked if (found := measuring.evidence(one))]
    of_plain = [found for one in plainly if (found := measuring.evidence(one))]
    before = np.array([1.0] + [0.0] * (len(relevance.EVIDENCE_SIGNALS) - 1))
    served = [one for one in of_plain if one.right[0] < len(one.values) - 1]
    for most in (1, 3):
        old = float(np.mean(places(of_asked, before) < most))
        new = crossed(of_asked, of_plain, EVIDENCE_SHARE, within(most))
        old_plain = float(np.mean(places(served, before) < most))
        new_plain = float(np.mean(places(served, fit(of_asked, of_plain, EVIDENCE_SHARE)) < most))
        print(
            f"right entry in the first {most}: narrow {old:.3f} -> {new:.3f}, plain {old_plain:.3f} -> {new_plain:.3f}"
        )
    return fit(of_asked, of_plain, EVIDENCE_SHARE)


def _relevance(
    measuring: Measuring, matcher: Matcher, found: DoubleArray, asked: Sequence[Question], plainly: Sequence[Question]
) -> DoubleArray:
    def signals(questions: Sequence[Question]) -> list[Signals]:
        rows = []
        for one in questions:
            of_labels = measuring.evidence(one) if one.gold else None
            if of_labels is not None:
                sure = probabilities(of_labels.values, found)[matcher.names.index(one.gold[0])]
                rows.append(measuring.relevance(one, float(sure)))
        return rows

    of_asked, of_plain = signals(asked), signals([one for one in plainly if one.gold][: len(asked) // 2])
    for most in (1, 2):
        found_within = crossed(of_asked, of_plain, RELEVANCE_SHARE, within(most))
        print(f"settling statement in the first {most} of its entry: {found_within:.3f}")
    print(f"settling statement called relevant: {crossed(of_asked, of_plain, RELEVANCE_SHARE, marked):.3f}")
    weights = fit(of_asked, of_plain, RELEVANCE_SHARE)
    print(
        f"called relevant: {marks(of_asked, weights):.2f} a narrow question, {marks(of_plain, weights):.2f} a plain one"
    )
    return weights


def _named(signals: Sequence[str], weights: DoubleArray) -> dict[str, float]:
    return {name: round(float(weight), 2) for name, weight in zip(signals, weights, strict=True)}


if __name__ == "__main__":
    main()
