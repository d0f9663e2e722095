"""Ranks the labels of a catalog by meaning, letters and words, or, without the model, by letters and words.

Reading the ranking head's coefficients, one column for each label, takes much of a match's time. It is spared for
labels that cannot win: a label that stays far behind with any score to be expected at its cosine gets the mean score
there.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final, Protocol

import numpy as np

from embeddings.arrays import DoubleArray, FloatArray, IntArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.index.fitted_index import (
    EMBEDDING_SIGNALS,
    LABEL_SIGNALS,
    NARROW,
    SIGNALS,
    ExpectedScores,
    FittedIndex,
    KernelRidge,
)
from embeddings.index.vector_product import VectorProduct
from embeddings.labels.corpus import Corpus
from embeddings.ranking.pauses import pause
from embeddings.ranking.ranking import Ranking, probabilities
from embeddings.ranking.signals import LexicalSignals, ModelSignals, assemble, whiten
from embeddings.text.spelling import SpellingCorrector

FAR: Final = 5.0
"""How far behind the best a label is spared, in logarithms of odds: it has less than a hundredth of its chance. Of
1,260 queries of `benchmarks/*.jsonl` matched to the shipped capabilities, no first label and no decision changes, and
confidences by 0.006 at most; beside the `FIRST`, 11 of 56 labels are scored on average, and one in half of the queries.
Matched to the 362 labels of the facets, no first label changes, three decisions do, and confidences by 0.013 at most;
145 labels are scored on average, and 65 in half of the queries. With 7.0, 226 are, and 348 in half."""

FIRST: Final = 4
"""Labels that are scored before it is known which are far behind."""

MIN_BYTES: Final = 1 << 20
"""Size of the coefficients from which sparing is worth its own work."""

_KERNEL, _COSINE, _NONE = (SIGNALS.index(name) for name in ("kernel", "cosine", "none kernel"))


class SparedHead:
    """Scores by a head. Safe to share between threads."""

    def __init__(self, head: KernelRidge, expected: ExpectedScores, weights: DoubleArray) -> None:
        """Spare by expected scores and the weights of all signals."""
        self._head, self._expected, self._weights = head, expected, weights

    @staticmethod
    def is_worth(head: KernelRidge) -> bool:
        """Return whether a head is so large, and its labels are so few, that sparing saves time."""
        return FIRST < head.coefficients.shape[1] <= NARROW and head.coefficients.nbytes >= MIN_BYTES

    def fill(self, signals: FloatArray, cosines: FloatArray) -> None:
        """Write the scores of a query into its signals, in which they are 0.

        Args:
            signals: float32 (labels + 1, signals).
            cosines: float32 (phrases,), of the query to all phrases.
        """
        values, scores = self._head.kernels(cosines), signals[:-1, _KERNEL]
        signals[-1, _NONE] = values @ self._head.coefficients[:, -1]
        mean, spread = self._expected.of(signals[:-1, _COSINE])
        scores[:] = mean
        utilities = signals @ self._weights
        among, weight = utilities[:-1], abs(float(self._weights[_KERNEL]))
        first = among.argpartition(-FIRST)[-FIRST:]
        self._score(scores, first, values)
        best = float((signals[first] @ self._weights).max())
        # What could be the first label is scored, however surely none is meant.
        near = among + spread * weight >= min(best, max(best, float(utilities[-1])) - FAR)
        near[first] = False
        self._score(scores, np.flatnonzero(near), values)

    def _score(self, scores: FloatArray, labels: IntArray, values: FloatArray) -> None:
        # One by one they read no more than they need; most of them are scored sooner all together.
        if 2 * len(labels) > self._head.coefficients.shape[1]:
            scores[labels] = (values @ self._head.coefficients)[labels]
            return
        for label in labels.tolist():
            scores[label] = values @ self._head.coefficients[:, label]


_OF_MODEL: Final = [signal for signal in LABEL_SIGNALS if signal in EMBEDDING_SIGNALS]
_BY_MODEL: Final = slice(SIGNALS.index(_OF_MODEL[0]), SIGNALS.index(_OF_MODEL[-1]) + 1)
"""Columns of a label's signals that come from the model alone; they stand beside each other."""


_PROBABILITY_TOLERANCE: Final = 1e-6
"""Allowed error of the sum of all confidences in float64; with ten thousand labels the error is 1e-12."""


RankClause = Callable[[int], Ranking]
"""Ranks the clause at a place, from 0; most clauses need no ranking of their own."""


class Ranker(Protocol):
    """Ranks the labels of one catalog."""

    @property
    def corpus(self) -> Corpus:
        """The catalog."""

    @property
    def degraded(self) -> bool:
        """Whether the ranker works without the model."""

    def rank(self, phrase: str, *, as_typed: bool = False) -> Ranking:
        """Rank every label for a phrase; `as_typed` leaves its spelling alone."""

    def rank_clauses(self, phrase: str, clauses: Sequence[str]) -> tuple[Ranking, RankClause]:
        """Rank every label for a phrase, and, when asked, for any of its clauses."""


def check_ranker(ranker: Ranker, phrase: str) -> None:
    """Rank a trial phrase.

    Raises:
        Exception: of any type, if ranking fails; ValueError if the confidences do not add up to 1.
    """
    total = float(ranker.rank(phrase).confidences.sum())
    if not abs(total - 1) < _PROBABILITY_TOLERANCE:  # Written so that NaN fails as well.
        raise ValueError(f"the confidences of {phrase!r} add up to {total}, not to 1")


class FullRanker:
    """Ranks by meaning, letters and words."""

    degraded = False

    def __init__(self, fitted: FittedIndex, encoder: TextEncoder, corrector: SpellingCorrector | None = None) -> None:
        """Use a fitted index and the encoder that made its vectors.

        Args:
            fitted: the index.
            encoder: embeds queries.
            corrector: of spelling (default: one with the words of the index).
        """
        self.corpus = fitted.corpus
        self._fitted = fitted
        self._product = VectorProduct(fitted.blocks)
        self._encoder = encoder
        self._corrector = corrector or SpellingCorrector(fitted.corpus.own_texts)
        expected = fitted.expected if SparedHead.is_worth(fitted.head) else None
        self._spared = SparedHead(fitted.head, expected, fitted.weights) if expected else None

    def rank(self, phrase: str, *, as_typed: bool = False) -> Ranking:
        """Rank every label. For a phrase with misspelt words, average the model's signals as typed and as corrected."""
        readings = [phrase] if as_typed else self._readings(phrase)
        vectors = self._vectors(readings)
        return self._ranking(readings, vectors, self._product(vectors))

    def rank_clauses(self, phrase: str, clauses: Sequence[str]) -> tuple[Ranking, RankClause]:
        """Rank every label for a phrase, for which the largest cosine of its clauses counts, too, and for clauses."""
        if not clauses:
            return self.rank(phrase), lambda place: self.rank(clauses[place])
        readings, *of_clauses = [self._readings(text) for text in (phrase, *clauses)]
        vectors, *clause_vectors = [self._vectors(each) for each in (readings, *of_clauses)]
        wholes = np.concatenate(clause_vectors) @ self._wholes
        # The shortest clause is nearly always ranked, and two texts read the phrases' vectors once.
        shortest = min(range(len(clauses)), key=lambda place: len(clauses[place]))
        cosines = self._product(np.concatenate([vectors, clause_vectors[shortest]]))
        ranking = self._ranking(readings, vectors, cosines[: len(readings)], wholes)

        def rank_clause(place: int) -> Ranking:
            of_clause = clause_vectors[place]
            found = cosines[len(readings) :] if place == shortest else self._product(of_clause)
            return self._ranking(of_clauses[place], of_clause, found)

        return ranking, rank_clause

    @cached_property
    def _wholes(self) -> FloatArray:
        """The vectors of the name and description of each label: float32 (k, labels); few queries have clauses."""
        return self._fitted.blocks.rows(self.corpus.whole_rows).restore().T

    def _readings(self, text: str) -> list[str]:
        read_as = self._corrector.correct(text, self._encoder.knows)
        return [text] if read_as == text else [text, read_as]

    def _vectors(self, texts: Sequence[str]) -> FloatArray:
        # One at a time, because the encoder keeps the vectors of single texts.
        encoded = [self._vector(text) for text in texts]
        return whiten(encoded[0] if len(encoded) == 1 else np.concatenate(encoded), self._fitted.whitening)

    def _vector(self, text: str) -> FloatArray:
        pause()
        return self._encoder.encode([text])

    def _ranking(
        self, readings: list[str], vectors: FloatArray, cosines: FloatArray, of_clauses: FloatArray | None = None
    ) -> Ranking:
        """Rank a text by the vectors of its readings.

        Args:
            readings: the text as typed, and as corrected if that differs.
            vectors: of the readings, float32 (readings, k).
            cosines: theirs to all phrases, float32 (readings, phrases).
            of_clauses: cosines of its clauses to the name and description of each label, (clauses, labels).
        """
        spared = self._spared if len(readings) == 1 else None
        kernels = (
            [np.zeros(self.corpus.spans.labels + 1, np.float32)] if spared else self._head_scores(vectors, cosines)
        )
        typed, *corrected = [
            ModelSignals.of(self.corpus, cosine, kernel) for cosine, kernel in zip(cosines, kernels, strict=True)
        ]
        model = mean([typed, *corrected])
        if of_clauses is not None:
            model = replace(model, part=np.maximum(typed.whole, of_clauses.max(axis=0)))
        signals = assemble(model, lexical_signals(self.corpus, readings), self.corpus.catalog_size)
        weights = self._fitted.weights
        if spared:
            spared.fill(signals, cosines[0])
        by_model = signals[:-1, _BY_MODEL] if model is typed else assemble_labels(typed)
        return Ranking(
            signals=signals,
            weights=weights,
            confidences=probabilities(signals, weights),
            by_embedding=by_model @ weights[_BY_MODEL],
            nearness=cosines[0] if len(cosines) == 1 else np.mean(cosines, axis=0, dtype=np.float32),
            read_as=readings[-1],
        )

    def _head_scores(self, vectors: FloatArray, cosines: FloatArray) -> Sequence[FloatArray]:
        """Scores of readings by the ranking head: for each, float32 (labels + 1,).

        Args:
            vectors: of the readings.
            cosines: theirs to all phrases.
        """
        del vectors
        return [self._fitted.head.scores(cosine) for cosine in cosines]


class LexicalRanker:
    """Ranks by letters and words alone: names, aliases, words and spelling."""

    degraded = True

    def __init__(self, corpus: Corpus, weights: DoubleArray) -> None:
        """Use a corpus and the weights that `fit_lexical_weights` computed for it."""
        self.corpus = corpus
        self._weights = weights
        self._corrector = SpellingCorrector(corpus.own_texts)

    def rank(self, phrase: str, *, as_typed: bool = False) -> Ranking:
        """Rank every label; each signal is the larger of those of the phrase as typed and as corrected."""
        read_as = phrase if as_typed else self._corrector.correct(phrase)
        readings = [phrase] if read_as == phrase else [phrase, read_as]
        signals = assemble(None, lexical_signals(self.corpus, readings))
        return Ranking(
            signals=signals,
            weights=self._weights,
            confidences=probabilities(signals, self._weights),
            by_embedding=None,
            nearness=self.corpus.lexical.similarities(read_as),
            read_as=read_as,
        )

    def rank_clauses(self, phrase: str, clauses: Sequence[str]) -> tuple[Ranking, RankClause]:
        """Rank every label for a phrase, and, when asked, for any of its clauses."""
        return self.rank(phrase), lambda place: self.rank(clauses[place])


def lexical_signals(corpus: Corpus, readings: list[str]) -> LexicalSignals:
    """Return the larger value over all readings of each signal."""
    if len(readings) == 1:
        return LexicalSignals.of(corpus, readings[0])
    found = [vars(LexicalSignals.of(corpus, reading)) for reading in readings]
    return LexicalSignals(**{name: np.maximum.reduce([signals[name] for signals in found]) for name in found[0]})


def mean(signals: list[ModelSignals]) -> ModelSignals:
    """Average the signals of several readings."""
    if len(signals) == 1:
        return signals[0]
    found = {
        name: np.mean([vars(one)[name] for one in signals], axis=0).astype(np.float32) for name in vars(signals[0])
    }
    return ModelSignals(**found)


def assemble_labels(signals: ModelSignals) -> FloatArray:
    """Return the signals of each label that need the model: float32 (labels, columns), columns as in `_BY_MODEL`."""
    labels, found = len(signals.whole), vars(signals)
    return np.array([found[signal][:labels] for signal in _OF_MODEL]).T
