"""The fitted index of a catalog: vectors of its phrases, and the ranking head, kernel ridge regression on cosines.

With K(a, b) = exp((a . b - 1) / WIDTH), a label's score for a query q is the sum of its coefficients, each times
K(q, z) of its landmark z. `embeddings.training.kernel_ridge` fits the coefficients.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from embeddings.arrays import MAX_MAGNITUDE, DoubleArray, FloatArray, IntArray, ascending, halved, require, within
from embeddings.index.held_out_scores import HeldOutScores
from embeddings.index.vector_product import Blocks
from embeddings.labels.corpus import Corpus

WIDTH: Final = 0.4
"""Measured on CLINC150, 10 phrases an intent, 3 seeds, without whitening: first place 0.876 at 0.1, 0.899 at 0.2, 0.903
at 0.3, 0.904 at 0.5; area under the ROC curve for out-of-scope 0.957, 0.965, 0.964, 0.960. Between 0.3 and 0.5 little
changes, with whitening too."""


NARROW: Final = 512
"""Maximum columns of coefficients that are stored one after another, so that a label is scored without reading others.
Longer rows are read as fast as columns."""


def kernel(left: FloatArray, right: FloatArray) -> FloatArray:
    """K between two sets of unit vectors: float32 (len(left), len(right)) in (0, 1]."""
    return bell(left @ right.T)


def bell(similarities: FloatArray) -> FloatArray:
    """Return the kernel's value at a cosine: 1 at cosine 1.

    Works in one copy, as there can be a hundred million of them.
    """
    values = similarities - np.float32(1)
    values *= np.float32(1 / WIDTH)
    np.exp(values, out=values)
    return values


@dataclass(frozen=True)
class KernelRidge:
    """A fitted head.

    Attributes:
        landmarks: int64 (m,), rows of the phrase vectors that the kernel is taken to.
        coefficients: float32 (m, labels + 1); the last column is "none of them". Few columns are stored one after
            another, which makes a product with one row a third faster.
    """

    landmarks: IntArray
    coefficients: FloatArray

    def __post_init__(self) -> None:
        """Store a narrow matrix by columns."""
        if self.coefficients.ndim == 2 and self.coefficients.shape[1] <= NARROW:
            object.__setattr__(self, "coefficients", np.asfortranarray(self.coefficients))

    def rounded(self) -> "KernelRidge":
        """Return the head in the precision in which files keep it."""
        return KernelRidge(self.landmarks, halved(self.coefficients))

    def check(self, texts: int, labels: int) -> None:
        """Raise ValueError unless the arrays, whose types are known, are such as `fit` makes for so many texts."""
        rows = len(self.landmarks)
        require(self.coefficients.shape == (rows, labels + 1), "there is one coefficient a landmark and label")
        # Ascending, so that as many as there are phrases are the phrases.
        require(rows > 0 and ascending(self.landmarks, strictly=True), "landmarks ascend")
        require(within(self.landmarks, 0, texts - 1), "landmarks are phrases")
        require(within(self.coefficients, -MAX_MAGNITUDE, MAX_MAGNITUDE), "coefficients are of use in float32")

    def kernels(self, similarities: FloatArray) -> FloatArray:
        """K of one query and each landmark, float32 (m,), from the query's cosines to all phrases."""
        return bell(similarities if len(self.landmarks) == len(similarities) else similarities[self.landmarks])

    def scores(self, similarities: FloatArray) -> FloatArray:
        """Scores of one query from its cosines to all phrases: float32 (labels + 1,), about 1 for a sure label."""
        scores: FloatArray = self.kernels(similarities) @ self.coefficients
        return scores


STEPS: Final = 20
"""Ranges of cosines from 0 to 1; those below 0 belong to the first."""

MAX_SCORE: Final = 4.0
"""Largest magnitude of a mean or a spread; scores are about 1 for a sure label."""


@dataclass(frozen=True)
class ExpectedScores:
    """Scores by the mean of a label's two largest cosines.

    Attributes:
        mean: float64 (STEPS,), of the scores of labels with a cosine in each range.
        spread: float64 (STEPS,), how far nearly all of them lie from it.
    """

    mean: DoubleArray
    spread: DoubleArray

    def __post_init__(self) -> None:
        """Raise ValueError unless there is a number of use for each range."""
        for values in (self.mean, self.spread):
            require(
                values.shape == (STEPS,) and within(values, -MAX_SCORE, MAX_SCORE),
                f"{STEPS} expected scores are of use",
            )

    def numbers(self) -> list[list[float]]:
        """Means and spreads, for storage."""
        return [self.mean.tolist(), self.spread.tolist()]

    def of(self, cosines: FloatArray) -> tuple[DoubleArray, DoubleArray]:
        """Return the mean and the spread for each cosine."""
        ranges = steps(cosines)
        return self.mean[ranges], self.spread[ranges]


def steps(cosines: FloatArray) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
    """Return the range of each cosine."""
    return np.clip(cosines * STEPS, 0, STEPS - 1).astype(np.intp)


@dataclass(frozen=True)
class FittedIndex:
    """An embedded catalog with its fitted and calibrated ranking.

    Attributes:
        corpus: the catalog's texts.
        whitening: float32 (d, k), maps the encoder's vectors to the vectors that are compared.
        blocks: the mapped vectors, n rows of k numbers, one for each phrase of the index; of unit length before they
            were rounded to 8 bits.
        head: the ranking head.
        weights: float64 (signals,), weights of the conditional logit.
        lexical_weights: the same, for degraded mode (without the model).
        model: fingerprint of the encoder that made the vectors.
        expected: what the head mostly says at a cosine; None if that was not measured.
        held_out: how sure the catalog is of what is right; None without examples.
        approximate: whether the catalog changed since whitening, weights and the head were fitted to all of it.
    """

    corpus: Corpus
    whitening: FloatArray
    blocks: Blocks
    head: KernelRidge
    weights: DoubleArray
    lexical_weights: DoubleArray
    model: str
    expected: ExpectedScores | None = None
    held_out: HeldOutScores | None = None
    approximate: bool = False

    @property
    def vectors(self) -> FloatArray:
        """The vectors that are compared: float32 (n, k), computed on each access."""
        return self.blocks.restore()


LABEL_SIGNALS: Final = (
    "kernel",
    "cosine",
    "nearest",
    "whole",
    "part",
    "words",
    "coverage",
    "spelling",
    "substring",
)
"""kernel: score of the ranking head. cosine: mean of the two largest cosines to the label's phrases; nearest: the
largest. whole: cosine to the name and description as one text; part: the largest such cosine over the clauses of the
query. words: logarithm of one plus the BM25 score of the label's words; coverage: that score over the weight of the
query's words. spelling: largest character n-gram similarity to a phrase. substring: share of the phrase that is a name
or alias, or share of a name or alias that is the phrase."""

NONE_SIGNALS: Final = ("none", "catalog size", "none kernel", "none cosine", "none spelling")
"""Signals of "none of them": a constant head start; the logarithm of the number of labels, as the best of many labels
that are not meant is nearer; and the similarity of the query to the out-of-scope and background phrases."""

SIGNALS: Final = LABEL_SIGNALS + NONE_SIGNALS

EMBEDDING_SIGNALS: Final = ("kernel", "cosine", "nearest", "whole", "part", "none kernel", "none cosine")
"""The signals that need the model; the others are lexical."""

NEEDS_MODEL: Final = np.array([signal in EMBEDDING_SIGNALS for signal in SIGNALS])
"""bool (signals,), true for the signals that need the model."""
