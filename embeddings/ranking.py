"""One query ranked: its signals, and the probabilities that follow from them."""

from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from embeddings.choice_model import probabilities
from embeddings.encoder import TextEncoder
from embeddings.fitted_index import FittedIndex
from embeddings.phrase_index import PhraseIndex
from embeddings.signals import NEEDS_MODEL, FloatArray, assemble
from embeddings.spelling import SpellingCorrector
from embeddings.vector_product import VectorProduct
from embeddings.whitening import whiten

SUREST: Final = 0.999
"""Confidence of the surest match by likeness; certainty is for names and aliases."""


@dataclass(frozen=True)
class Ranking:
    """Every label's standing for one query.

    Attributes:
        signals: float32 (labels + 1, signals), "none" last.
        weights: float64 (signals,), by which they are summed.
        confidences: float64 (labels + 1,), adding up to 1.
        by_embedding: float64 (labels,), what the model alone makes of the phrase as it was typed; None without it.
        nearness: float32 (phrases,), how near each phrase of the catalog is: cosines, or n-gram similarities without
            the model.
        read_as: the phrase with its spelling corrected.
    """

    signals: FloatArray
    weights: npt.NDArray[np.float64]
    confidences: npt.NDArray[np.float64]
    by_embedding: npt.NDArray[np.float64] | None
    nearness: FloatArray
    read_as: str

    def confidence(self, label: int) -> float:
        """Probability of a label as answers show it: likeness, however great, is not certainty."""
        return min(float(self.confidences[label]), SUREST)

    def order(self) -> npt.NDArray[np.int64]:
        """Labels, best first; equal ones in the order of the catalog."""
        return np.argsort(-self.confidences[:-1], kind="stable")

    def place_by_embedding(self, label: int) -> int:
        """The place, from 0, that the model alone would have given a label; 0 without the model."""
        if self.by_embedding is None:
            return 0
        return int((self.by_embedding > self.by_embedding[label]).sum())


class Ranker(Protocol):
    """Ranks the labels of one catalog."""

    @property
    def index(self) -> PhraseIndex:
        """The catalog."""

    @property
    def degraded(self) -> bool:
        """Whether it works without the model."""

    def rank(self, phrase: str) -> Ranking:
        """Rank every label for a phrase."""


class FullRanker:
    """Ranks by meaning, letters and words."""

    degraded = False

    def __init__(self, fitted: FittedIndex, encoder: TextEncoder) -> None:
        """Rank by a fitted index, with the encoder that made its vectors."""
        self.index = fitted.index
        self._fitted = fitted
        self._product = VectorProduct(fitted.blocks)
        self._encoder = encoder
        self._corrector = SpellingCorrector(fitted.index.texts)

    def rank(self, phrase: str) -> Ranking:
        """Rank every label; a phrase with misspelt words counts half as typed, half as corrected."""
        read_as = self._corrector.correct(phrase, getattr(self._encoder, "knows", _knows_nothing))
        readings = [phrase] if read_as == phrase else [phrase, read_as]
        queries = whiten(self._encoder.encode(readings), self._fitted.whitening)
        cosines = list(self._product(queries))
        kernels = [self._fitted.head.scores(cosine) for cosine in cosines]
        nearest = [self.index.spans.two_best_mean(cosine) for cosine in cosines]
        spelling, substring = lexical_signals(self.index, readings)
        signals = assemble(_mean(kernels), _mean(nearest), spelling, substring)
        weights = self._fitted.weights
        typed = assemble(kernels[0], nearest[0], spelling, substring)
        return Ranking(
            signals=signals,
            weights=weights,
            confidences=probabilities(signals, weights),
            by_embedding=typed[:-1, NEEDS_MODEL] @ weights[NEEDS_MODEL],
            nearness=_mean(cosines),
            read_as=read_as,
        )


class LexicalRanker:
    """Ranks by letters and words alone: names, aliases, substrings and spelling."""

    degraded = True

    def __init__(self, index: PhraseIndex, weights: npt.NDArray[np.float64]) -> None:
        """Rank by an index with the weights of `fit_lexical_weights`."""
        self.index = index
        self._weights = weights
        self._corrector = SpellingCorrector(index.texts)

    def rank(self, phrase: str) -> Ranking:
        """Rank every label by the better of the phrase as typed and as corrected."""
        read_as = self._corrector.correct(phrase)
        readings = [phrase] if read_as == phrase else [phrase, read_as]
        spelling, substring = lexical_signals(self.index, readings)
        nothing = np.zeros(self.index.spans.labels + 1, dtype=np.float32)
        signals = assemble(nothing, nothing, spelling, substring)
        return Ranking(
            signals=signals,
            weights=self._weights,
            confidences=probabilities(signals, self._weights),
            by_embedding=None,
            nearness=self.index.lexical.similarities(read_as),
            read_as=read_as,
        )


def lexical_signals(index: PhraseIndex, readings: list[str]) -> tuple[FloatArray, FloatArray]:
    """The better of all readings: spelling (labels + 1,) and substring (labels,)."""
    spelling = [index.spans.best(index.lexical.similarities(reading)) for reading in readings]
    substring = [index.names.overlaps(reading) for reading in readings]
    return np.maximum.reduce(spelling), np.maximum.reduce(substring)


def _mean(arrays: list[FloatArray]) -> FloatArray:
    return arrays[0] if len(arrays) == 1 else np.mean(arrays, axis=0, dtype=np.float32)


def _knows_nothing(_: str) -> bool:
    return False
