"""Ranks the labels of a catalog by meaning, letters and words, or, without the model, by letters and words."""

from typing import Protocol

import numpy as np

from embeddings.arrays import DoubleArray, FloatArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.index.fitted_index import FittedIndex
from embeddings.index.signal_names import SIGNALS
from embeddings.index.vector_product import VectorProduct
from embeddings.labels.corpus import Corpus
from embeddings.ranking.conditional_logit import probabilities
from embeddings.ranking.ranking import Ranking
from embeddings.ranking.signals import assemble
from embeddings.ranking.whitening import whiten
from embeddings.text.spelling import SpellingCorrector

_BY_MODEL = [SIGNALS.index(signal) for signal in ("kernel", "cosine")]
"""Columns of a label's signals that come from the model alone."""


class Ranker(Protocol):
    """Ranks the labels of one catalog."""

    @property
    def corpus(self) -> Corpus:
        """The catalog."""

    @property
    def degraded(self) -> bool:
        """Whether the ranker works without the model."""

    def rank(self, phrase: str) -> Ranking:
        """Rank every label for a phrase."""


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

    def rank(self, phrase: str) -> Ranking:
        """Rank every label. For a phrase with misspelt words, average the model's signals as typed and as corrected."""
        read_as = self._corrector.correct(phrase, self._encoder.knows)
        readings = [phrase] if read_as == phrase else [phrase, read_as]
        queries = whiten(self._encoder.encode(readings), self._fitted.whitening)
        cosines = list(self._product(queries))
        kernels = [self._fitted.head.scores(cosine) for cosine in cosines]
        nearest = [self.corpus.spans.two_best_mean(cosine) for cosine in cosines]
        spelling, substring = lexical_signals(self.corpus, readings)
        signals = assemble(_mean(kernels), _mean(nearest), spelling, substring)
        weights = self._fitted.weights
        by_kernel, by_cosine = weights[_BY_MODEL]
        return Ranking(
            signals=signals,
            weights=weights,
            confidences=probabilities(signals, weights),
            by_embedding=by_kernel * kernels[0][:-1] + by_cosine * nearest[0][:-1],
            nearness=_mean(cosines),
            read_as=read_as,
        )


class LexicalRanker:
    """Ranks by letters and words alone: names, aliases, substrings and spelling."""

    degraded = True

    def __init__(self, corpus: Corpus, weights: DoubleArray) -> None:
        """Use a corpus and the weights that `fit_lexical_weights` computed for it."""
        self.corpus = corpus
        self._weights = weights
        self._corrector = SpellingCorrector(corpus.texts)

    def rank(self, phrase: str) -> Ranking:
        """Rank every label; each signal is the larger of those of the phrase as typed and as corrected."""
        read_as = self._corrector.correct(phrase)
        readings = [phrase] if read_as == phrase else [phrase, read_as]
        spelling, substring = lexical_signals(self.corpus, readings)
        nothing = np.zeros(self.corpus.spans.labels + 1, dtype=np.float32)
        signals = assemble(nothing, nothing, spelling, substring)
        return Ranking(
            signals=signals,
            weights=self._weights,
            confidences=probabilities(signals, self._weights),
            by_embedding=None,
            nearness=self.corpus.lexical.similarities(read_as),
            read_as=read_as,
        )


def lexical_signals(corpus: Corpus, readings: list[str]) -> tuple[FloatArray, FloatArray]:
    """Return the larger value over all readings: spelling, (labels + 1,), and substring, (labels,)."""
    spelling = [corpus.spans.best(corpus.lexical.similarities(reading)) for reading in readings]
    substring = [corpus.names.overlaps(reading) for reading in readings]
    return np.maximum.reduce(spelling), np.maximum.reduce(substring)


def _mean(arrays: list[FloatArray]) -> FloatArray:
    return arrays[0] if len(arrays) == 1 else np.mean(arrays, axis=0, dtype=np.float32)
