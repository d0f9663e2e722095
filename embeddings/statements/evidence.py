"""Weighs what the statements of a group say about each label: evidence for the label that a phrase means."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from embeddings.arrays import FloatArray
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


class Evidence:
    """Weighs rankings anew for one group. Safe to share between threads."""

    def __init__(self, index: StatementIndex, comparer: StatementComparer, labels: Sequence[str]) -> None:
        """Use an index, what compares phrases with it, and the labels in the order of the rankings."""
        self._index = index
        self._comparer = comparer
        self._labels = labels
        self._weights = weights("evidence", SIGNALS)

    def weigh(self, phrase: str, ranking: Ranking, group: str) -> Ranking:
        """Return the ranking with the probabilities that follow when a group's statements count, too."""
        return replace(ranking, confidences=probabilities(self.signals(phrase, ranking, group), self._weights))

    def signals(self, phrase: str, ranking: Ranking, group: str) -> FloatArray:
        """The signals of each label, and of "none" in the last row: float32 (labels + 1, signals)."""
        nearness = self._comparer.nearness(phrase)
        values = np.zeros((len(self._labels) + 1, len(SIGNALS)), dtype=np.float32)
        values[:, 0] = np.log(np.maximum(ranking.confidences, _LEAST))
        for row, label in enumerate(self._labels):
            entry = self._index.entries.get((group, label))
            if entry is not None:
                values[row, 1] = nearness.text[entry].max()
                values[row, 2] = max(float(nearness.question[entry].max()) - UNRELATED, 0)
        values[-1, 3] = 1
        return values
