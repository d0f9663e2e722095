"""Ranks the statements of one entry against what is asked: a conditional logit over them and "none of them"."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from embeddings.arrays import DoubleArray, FloatArray, IntArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.ranking.ranking import Ranking, probabilities
from embeddings.statements.statement import Relevant
from embeddings.statements.statement_index import StatementComparer, StatementIndex

FILE: Final = Path(__file__).with_name("weights.json")


def weights(kind: Literal["evidence", "relevance"], signals: Sequence[str]) -> DoubleArray:
    """Return the stored weights of these signals: float64 (signals,)."""
    stored = _stored()[kind]
    return np.array([stored[signal] for signal in signals])


@cache
def _stored() -> Any:
    return json.loads(FILE.read_text(encoding="utf-8"))


STATEMENT_SIGNALS: Final = ("text", "question", "apart")
"""text: cosine to the statement. question: largest cosine to one of its questions. apart: cosine to what sets the
statement apart from the mean of its entry, which is what the heading has said already."""

NONE_SIGNALS: Final = ("none", "heading", "words", "sure")
"""Signals of "none of them": a constant; cosine to the mean of the entry's statements; logarithm of the number of words
asked, as a question about a detail is longer than one about a heading; probability of the label."""

SIGNALS: Final = STATEMENT_SIGNALS + NONE_SIGNALS

MAX_RELEVANT: Final = 2
"""Maximum number of relevant statements of an entry."""

MIN_PROBABILITY: Final = 0.2
"""Minimum probability of a statement that is called relevant. With 0.2, 79% of 420 narrow questions are shown what
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
            At most `MAX_RELEVANT` statements, likeliest first; none if no statement reaches `MIN_PROBABILITY`.
        """
        entry = self.index.entries.get((group, label))
        if entry is None:
            return []
        found = probabilities(self.signals(phrase, entry, sure), self._weights)[:-1]
        best = np.argsort(-found, kind="stable")[:MAX_RELEVANT]
        return [
            Relevant(self.index.statements[entry.start + row], float(found[row]))
            for row in best
            if found[row] >= MIN_PROBABILITY
        ]

    def signals(self, phrase: str, entry: slice, sure: float) -> FloatArray:
        """Return the signals of an entry's statements, and of "none" in the last row: float32 (n + 1, signals)."""
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


EVIDENCE_SIGNALS: Final = ("before", "text", "question", "none")
"""before: logarithm of the probability without this evidence. text: largest cosine to a statement of the label in the
group. question: by how much the largest cosine to one of its questions is above `UNRELATED`. none: a constant for "none
of them"."""

UNRELATED: Final = 0.4
"""Cosine up to which a question says nothing. Without the bound, plain questions lose 1 more point of first place to
gain 2 of narrow ones."""

_MIN_POSITIVE: Final = 1e-6
"""Minimum probability whose logarithm is taken."""


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
        self._weights = weights("evidence", EVIDENCE_SIGNALS)

    def weigh(self, phrase: str, ranking: Ranking, group: str) -> Ranking:
        """Return the ranking with the probabilities that follow when a group's statements count, too."""
        return replace(ranking, confidences=probabilities(self.signals(phrase, ranking, group), self._weights))

    def signals(self, phrase: str, ranking: Ranking, group: str) -> FloatArray:
        """Return the signals of each label, and of "none" in the last row: float32 (labels + 1, signals)."""
        nearness = self._comparer.nearness(phrase)
        values = np.zeros((len(self._labels) + 1, len(EVIDENCE_SIGNALS)), dtype=np.float32)
        values[:, 0] = np.log(np.maximum(ranking.confidences, _MIN_POSITIVE))
        if group in self._held:
            held = self._held[group]
            values[held.labels, 1] = np.maximum.reduceat(nearness.text[held.rows], held.starts)
            questions = np.maximum.reduceat(nearness.question[held.rows], held.starts)
            values[held.labels, 2] = np.maximum(questions - UNRELATED, 0)
        values[-1, 3] = 1
        return values


class StatementReader:
    """Reads the statements of one catalog. Safe to share between threads."""

    def __init__(self, index: StatementIndex, encoder: TextEncoder, labels: Sequence[str]) -> None:
        """Read an index.

        Args:
            index: the statements.
            encoder: the encoder that made its vectors.
            labels: the names of the catalog's labels, in the order of its rankings.
        """
        comparer = StatementComparer(index, encoder)
        self.relevance = Relevance(index, comparer)
        self.evidence = Evidence(index, comparer, labels)

    def relevant(self, phrase: str, group: str, label: str, sure: float) -> list[Relevant]:
        """See `Relevance.relevant`."""
        return self.relevance.relevant(phrase, group, label, sure)

    def weigh(self, phrase: str, ranking: Ranking, group: str) -> Ranking:
        """See `Evidence.weigh`."""
        return self.evidence.weigh(phrase, ranking, group)
