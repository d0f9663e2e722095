"""Ranks the labels of a catalog by meaning, letters and words, or, without the model, by letters and words."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Protocol

import numpy as np

from embeddings.arrays import DoubleArray, FloatArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.index.fitted_index import FittedIndex
from embeddings.index.signal_names import EMBEDDING_SIGNALS, LABEL_SIGNALS, SIGNALS
from embeddings.index.vector_product import VectorProduct
from embeddings.labels.corpus import Corpus
from embeddings.ranking.conditional_logit import probabilities
from embeddings.ranking.ranking import Ranking
from embeddings.ranking.signals import LexicalSignals, ModelSignals, assemble
from embeddings.ranking.whitening import whiten
from embeddings.text.spelling import SpellingCorrector

_BY_MODEL: Final = [SIGNALS.index(signal) for signal in LABEL_SIGNALS if signal in EMBEDDING_SIGNALS]
"""Columns of a label's signals that come from the model alone."""


_PROBABILITY_TOLERANCE: Final = 1e-6
"""Allowed error of the sum of all confidences in float64; with ten thousand labels the error is 1e-12."""


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

    def rank_clauses(self, phrase: str, clauses: Sequence[str]) -> list[Ranking]:
        """Rank every label for a phrase, which comes first, and for each of its clauses."""


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

    def __init__(self, fitted: FittedIndex, encoder: TextEncoder) -> None:
        """Use a fitted index and the encoder that made its vectors."""
        self.corpus = fitted.corpus
        self._fitted = fitted
        self._product = VectorProduct(fitted.blocks)
        self._encoder = encoder
        self._corrector = SpellingCorrector(fitted.corpus.texts)

    def rank(self, phrase: str, *, as_typed: bool = False) -> Ranking:
        """Rank every label. For a phrase with misspelt words, average the model's signals as typed and as corrected."""
        if as_typed:
            return self._ranking([phrase], self._cosines([phrase]))
        return self.rank_clauses(phrase, ())[0]

    def rank_clauses(self, phrase: str, clauses: Sequence[str]) -> list[Ranking]:
        """Rank every label for a phrase and for its clauses, whose largest cosine counts for the phrase, too."""
        readings = [self._readings(text) for text in (phrase, *clauses)]
        cosines = self._cosines([reading for each in readings for reading in each])
        ends = np.cumsum([len(each) for each in readings])
        of_clauses = cosines[ends[0] :, self.corpus.whole_rows]
        first, *others = np.split(cosines, ends[:-1])
        rankings = [self._ranking(readings[0], first, of_clauses)]
        return rankings + [self._ranking(each, some) for each, some in zip(readings[1:], others, strict=True)]

    def _readings(self, text: str) -> list[str]:
        read_as = self._corrector.correct(text, self._encoder.knows)
        return [text] if read_as == text else [text, read_as]

    def _cosines(self, texts: Sequence[str]) -> FloatArray:
        # One at a time, because the encoder keeps the vectors of single texts.
        vectors = np.concatenate([self._encoder.encode([text]) for text in texts])
        return self._product(whiten(vectors, self._fitted.whitening))

    def _ranking(self, readings: list[str], cosines: FloatArray, of_clauses: FloatArray | None = None) -> Ranking:
        """Rank a text by the cosines of each reading to all phrases, (readings, n).

        Args:
            readings: the text as typed, and as corrected if that differs.
            cosines: of the readings.
            of_clauses: of its clauses to the name and description of each label, (clauses, labels).
        """
        typed, *corrected = [
            ModelSignals.of(self.corpus, cosine, self._fitted.head.scores(cosine)) for cosine in cosines
        ]
        model = mean([typed, *corrected])
        if of_clauses is not None and len(of_clauses):
            model = replace(model, part=np.maximum(typed.whole, of_clauses.max(axis=0)))
        signals = assemble(model, lexical_signals(self.corpus, readings))
        weights = self._fitted.weights
        return Ranking(
            signals=signals,
            weights=weights,
            confidences=probabilities(signals, weights),
            by_embedding=assemble_labels(typed) @ weights[_BY_MODEL],
            nearness=np.mean(cosines, axis=0, dtype=np.float32),
            read_as=readings[-1],
        )


class LexicalRanker:
    """Ranks by letters and words alone: names, aliases, words and spelling."""

    degraded = True

    def __init__(self, corpus: Corpus, weights: DoubleArray) -> None:
        """Use a corpus and the weights that `fit_lexical_weights` computed for it."""
        self.corpus = corpus
        self._weights = weights
        self._corrector = SpellingCorrector(corpus.texts)

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

    def rank_clauses(self, phrase: str, clauses: Sequence[str]) -> list[Ranking]:
        """Rank every label for a phrase and for each of its clauses."""
        return [self.rank(text) for text in (phrase, *clauses)]


def lexical_signals(corpus: Corpus, readings: list[str]) -> LexicalSignals:
    """Return the larger value over all readings of each signal."""
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
    """The signals of each label that need the model: float32 (labels, columns), columns as in `_BY_MODEL`."""
    labels = len(signals.whole)
    return np.stack([vars(signals)[SIGNALS[column]][:labels] for column in _BY_MODEL], axis=1)
