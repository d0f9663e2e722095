"""Weighs what the statements of a group say about each label: evidence for the label that a phrase means."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from embeddings.arrays import FloatArray, IntArray
from embeddings.ranking.conditional_logit import probabilities
from embeddings.ranking.ranking import Ranking
from embeddings.statements.nearness import StatementComparer
from embeddings.statements.statement_index import StatementIndex
from embeddings.statements.weights import weights

SIGNALS: Final = ("before", "text", "question", "none")
"""before: logarithm of the probability without this evidence. text: largest cosine to a statement of the label in the
group. question: by how much the largest cosine to one of its questions is above `UNRELATED`. none: a constant for "none
of them"."""

UNRELATED: Final = 0.4
"""Cosine up to which a question says nothing. Without the bound, plain questions lose 1 more point of first place to
gain 2 of narrow ones."""

_LEAST: Final = 1e-6
"""Least probability whose logarithm is taken."""


class _Held(NamedTuple):
    """The entries of one group: int64 (entries,) labels and first rows among the group's; int64 (statements,) rows."""

    labels: IntArray
    starts: IntArray
    rows: IntArray


def _by_group(index: StatementIndex, labels: Sequence[str]) -> dict[str, _Held]:
    places = {label: place for place, label in enumerate(labels)}
    found: dict[str, list[tuple[int, slice]]] = {}
    for (group, label), rows in index.entries.items():
        if label in places:
            found.setdefault(group, []).append((places[label], rows))
    return {
        group: _Held(
            labels=np.array([label for label, _ in entries]),
            starts=np.cumsum([0, *(rows.stop - rows.start for _, rows in entries[:-1])]),
            rows=np.concatenate([np.arange(rows.start, rows.stop) for _, rows in entries]),
        )
        for group, entries in found.items()
    }


class Evidence:
    """Weighs rankings anew for one group. Safe to share between threads."""

    def __init__(self, index: StatementIndex, comparer: StatementComparer, labels: Sequence[str]) -> None:
        """Use an index, what compares phrases with it, and the labels in the order of the rankings."""
        self._comparer = comparer
        self._labels = labels
        self._held = _by_group(index, labels)
        self._weights = weights("evidence", SIGNALS)

    def weigh(self, phrase: str, ranking: Ranking, group: str) -> Ranking:
        """Return the ranking with the probabilities that follow when a group's statements count, too."""
        return replace(ranking, confidences=probabilities(self.signals(phrase, ranking, group), self._weights))

    def signals(self, phrase: str, ranking: Ranking, group: str) -> FloatArray:
        """The signals of each label, and of "none" in the last row: float32 (labels + 1, signals)."""
        nearness = self._comparer.nearness(phrase)
        values = np.zeros((len(self._labels) + 1, len(SIGNALS)), dtype=np.float32)
        values[:, 0] = np.log(np.maximum(ranking.confidences, _LEAST))
        if group in self._held:
            held = self._held[group]
            values[held.labels, 1] = np.maximum.reduceat(nearness.text[held.rows], held.starts)
            questions = np.maximum.reduceat(nearness.question[held.rows], held.starts)
            values[held.labels, 2] = np.maximum(questions - UNRELATED, 0)
        values[-1, 3] = 1
        return values
