"""Ranks the statements of one entry against what is asked: a conditional logit over them and "none of them"."""

from typing import Final

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.ranking.conditional_logit import probabilities
from embeddings.statements.nearness import StatementComparer
from embeddings.statements.statement import Relevant
from embeddings.statements.statement_index import StatementIndex
from embeddings.statements.weights import weights

STATEMENT_SIGNALS: Final = ("text", "question", "apart")
"""text: cosine to the statement. question: largest cosine to one of its questions. apart: cosine to what sets the
statement apart from the mean of its entry, which is what the heading has said already."""

NONE_SIGNALS: Final = ("none", "heading", "words", "sure")
"""Signals of "none of them": a constant; cosine to the mean of the entry's statements; logarithm of the number of words
asked, as a question about a detail is longer than one about a heading; probability of the label."""

SIGNALS: Final = STATEMENT_SIGNALS + NONE_SIGNALS

MOST: Final = 2
"""Maximum number of relevant statements of an entry."""

LEAST: Final = 0.2
"""Least probability of a statement that is called relevant. With 0.2, 86% of 440 narrow questions are shown what
settles them, and one of four plain questions is shown a statement; of 23 such statements that were read, 3 did not bear
on the question."""


class Relevance:
    """Finds the statements of an entry that bear on a phrase. Safe to share between threads."""

    def __init__(self, index: StatementIndex, comparer: StatementComparer) -> None:
        """Use an index, and what compares phrases with it."""
        self.index = index
        self._comparer = comparer
        self._weights = weights("relevance", SIGNALS)

    def relevant(self, phrase: str, group: str, label: str, sure: float) -> list[Relevant]:
        """Find what an entry says that bears on a phrase.

        Args:
            phrase: what is asked.
            group: whose entry it is.
            label: the entry's label.
            sure: probability in [0, 1] that the phrase means the label.

        Returns:
            At most `MOST` statements, likeliest first; none if no statement reaches `LEAST`.
        """
        entry = self.index.entries.get((group, label))
        if entry is None:
            return []
        found = probabilities(self.signals(phrase, entry, sure), self._weights)[:-1]
        best = np.argsort(-found, kind="stable")[:MOST]
        return [
            Relevant(self.index.statements[entry.start + row], float(found[row])) for row in best if found[row] >= LEAST
        ]

    def signals(self, phrase: str, entry: slice, sure: float) -> FloatArray:
        """The signals of an entry's statements, and of "none" in the last row: float32 (n + 1, signals)."""
        nearness, geometry = self._comparer.nearness(phrase), self.index.geometry
        text = nearness.text[entry]
        mean = text.mean()
        values = np.zeros((len(text) + 1, len(SIGNALS)), dtype=np.float32)
        values[:-1, 0] = text
        values[:-1, 1] = nearness.question[entry]
        values[:-1, 2] = (text - mean) / geometry.distances[entry]
        words = np.log(max(len(phrase.split()), 1))
        values[-1, len(STATEMENT_SIGNALS) :] = 1, mean / geometry.means[entry.start], words, sure
        return values
