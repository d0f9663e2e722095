"""Computes what the notebook shows: confusions of held-out phrasings, a map of the catalog, and costly misses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from embeddings.arrays import DoubleArray, IntArray
from embeddings.index.fitted_index import FittedIndex
from embeddings.metrics import LabelledQuery
from embeddings.ranking.decision import DEFAULT_COSTS
from embeddings.ranking.explanation import NONE_NAME
from embeddings.ranking.match_result import MatchResult
from embeddings.ranking.ranking import probabilities
from embeddings.training import calibration_data, kernel_ridge
from embeddings.training.calibration_data import HeldOut
from embeddings.training.conditional_logit import assign_folds

VectorArray = npt.NDArray[np.float32]

SHARPNESS: Final = 30.0
"""How strongly near labels attract a phrase on the map: a label's weight is exp(SHARPNESS * cosine)."""

_STEPS: Final = 300
_LONGEST: Final = 80
_SHOWN: Final = 3


@dataclass(frozen=True)
class Confusions:
    """How the matcher ranks phrases that it was not fitted on.

    Attributes:
        names: the labels, "none" last.
        texts: the held-out phrases, n of them.
        meant: int64 (n,), the label of each phrase.
        shares: float64 (n, labels + 1), the probability of each label.
    """

    names: list[str]
    texts: list[str]
    meant: IntArray
    shares: DoubleArray

    def mass(self) -> DoubleArray:
        """Compute the mean probability of label j over the phrases of label i: float64 (labels + 1, labels + 1)."""
        return np.array([self.shares[self.meant == label].mean(axis=0) for label in range(len(self.names))])

    def worst(self, count: int) -> list[list[str]]:
        """List the pairs of labels that are confused most, as rows of `_row`."""
        mass = self.mass()[:-1, :-1]
        np.fill_diagonal(mass, 0)
        pairs = np.unravel_index(np.argsort(-mass, axis=None, kind="stable")[:count], mass.shape)
        return [self._row(int(meant), int(taken)) for meant, taken in zip(*pairs, strict=True)]

    def turned_away(self, count: int) -> list[list[str]]:
        """List the labels that lose most probability to "none", as rows of `_row`."""
        lost = self.mass()[:-1, -1]
        return [self._row(int(meant), -1) for meant in np.argsort(-lost, kind="stable")[:count]]

    def _row(self, meant: int, taken: int) -> list[str]:
        """Describe a confusion of label `meant` with label `taken`.

        Returns:
            Both names, the mean probability of `taken`, for how many phrases it ranks first, and the phrase for which
            its probability is largest.
        """
        rows = np.flatnonzero(self.meant == meant)
        lost = self.shares[rows, taken]
        first = int((lost == self.shares[rows].max(axis=1)).sum())
        example = f"{lost.max():.2f}: {self.texts[rows[lost.argmax()]]}"
        return [self.names[meant], self.names[taken], f"{lost.mean():.2f}", f"{first} of {len(rows)}", shorten(example)]


def confusions(fitted: FittedIndex) -> Confusions:
    """Hold out a fifth of the phrases, and rank each by the others, with the weights of `fitted`."""
    index, classes = fitted.corpus, fitted.corpus.spans.labels + 1
    vectors = fitted.vectors
    unseen = assign_folds(index.owners) == 0
    folds = np.where(unseen, 0, -1)
    seen = np.flatnonzero(~unseen)
    never = np.full(len(seen), -1)
    head, _ = kernel_ridge.fit(vectors[seen], index.owners[seen], classes, never)
    rows = calibration_data.measured_rows(index, folds)
    kernels = np.zeros((len(unseen), classes), dtype=np.float32)
    kernels[rows] = [head.scores(cosines) for cosines in vectors[rows] @ vectors[seen].T]
    held_out = HeldOut(vectors, kernels)
    shares = [
        probabilities(calibration_data._signals(index, int(row), unseen, held_out, cosines), fitted.weights)
        for row, cosines in zip(rows, vectors[rows] @ vectors.T, strict=True)
    ]
    names = [label.name for label in index.book.labels]
    texts = [index.phrases[row].text for row in rows]
    return Confusions([*names, NONE_NAME], texts, index.owners[rows], np.array(shares))


@dataclass(frozen=True)
class CatalogMap:
    """A plane on which similar labels are near each other.

    Attributes:
        centroids: float32 (labels, d), unit length.
        anchors: float64 (labels, 2), position of each label on the plane.
    """

    centroids: VectorArray
    anchors: DoubleArray

    def place(self, vectors: VectorArray) -> DoubleArray:
        """Map unit vectors (n, d) to points (n, 2): the mean of the anchors, weighted by how near each label is."""
        similarities = (vectors @ self.centroids.T).astype(np.float64)
        pull = np.exp(SHARPNESS * (similarities - similarities.max(axis=1, keepdims=True)))
        points: DoubleArray = pull @ self.anchors / pull.sum(axis=1, keepdims=True)
        return points


def catalog_map(fitted: FittedIndex) -> CatalogMap:
    """Place the labels' centroids with minimal stress, starting from their two main axes (SMACOF; de Leeuw, 1977)."""
    owners, count = fitted.corpus.owners, fitted.corpus.spans.labels
    means = np.array([fitted.vectors[owners == label].mean(axis=0) for label in range(count)])
    centroids = (means / np.linalg.norm(means, axis=1, keepdims=True)).astype(np.float32)
    apart = 1 - (centroids @ centroids.T).astype(np.float64)
    left, sizes, _ = np.linalg.svd(centroids.astype(np.float64) - centroids.mean(axis=0), full_matrices=False)
    points: DoubleArray = left[:, :2] * sizes[:2]
    # The solver may return either sign for an axis; fix it.
    points = points * np.sign(points[np.abs(points).argmax(axis=0), range(2)])
    for _ in range(_STEPS):
        drawn = np.linalg.norm(points[:, None] - points[None], axis=2)
        ratio = np.divide(apart, drawn, out=np.zeros_like(drawn), where=drawn > 0)
        points = (points * ratio.sum(axis=1, keepdims=True) - ratio @ points) / count
    return CatalogMap(centroids, points)


def misses(queries: Sequence[LabelledQuery], results: Sequence[MatchResult]) -> list[list[str]]:
    """List answers that cost more than a good list of candidates, by falling cost, then by falling confidence.

    Returns:
        Rows of cost, decision, confidence, gold labels, first match, query.
    """
    pairs = [(cost(query, result), query, result) for query, result in zip(queries, results, strict=True)]
    missed = [pair for pair in pairs if pair[0] > DEFAULT_COSTS.candidates]
    missed.sort(key=lambda pair: (-pair[0], -pair[2].matches[0].match_confidence))
    return [
        [
            f"{price:.0f}",
            result.decision,
            f"{result.matches[0].match_confidence:.2f}",
            " / ".join(query.gold) or NONE_NAME,
            result.matches[0].name,
            shorten(query.query),
        ]
        for price, query, result in missed
    ]


def cost(query: LabelledQuery, result: MatchResult) -> float:
    """Return what an answer costs the caller, by the costs that decisions are based on."""
    named = [match.name for match in result.matches[:_SHOWN]]
    if result.decision == "resolved":
        return 0.0 if named[0] in query.gold else DEFAULT_COSTS.wrong
    if result.decision == "no_match":
        return DEFAULT_COSTS.missed if query.gold else 0.0
    return DEFAULT_COSTS.candidates if set(named) & set(query.gold) else DEFAULT_COSTS.useless


def shorten(text: str, longest: int = _LONGEST) -> str:
    """Shorten a text to `longest` characters; the last is an ellipsis if it was cut."""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
