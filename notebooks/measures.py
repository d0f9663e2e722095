"""What the notebook shows, as numbers: confusions of held-out phrasings, a map of the catalog, and costly misses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from embeddings import decision, evidence, kernel_head
from embeddings.choice_model import probabilities
from embeddings.evaluation import LabelledQuery
from embeddings.evidence import HeldOut
from embeddings.explanation import NONE_NAME
from embeddings.fitted_index import FittedIndex
from embeddings.folds import assign_folds
from embeddings.match_result import MatchResult

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
VectorArray = npt.NDArray[np.float32]

SHARPNESS: Final = 30.0
"""How much nearer labels draw a phrase on the map: weights are exp(SHARPNESS * cosine)."""

_STEPS: Final = 300
_LONGEST: Final = 64
_SHOWN: Final = 3


@dataclass(frozen=True)
class Confusions:
    """What the matcher makes of phrases that it has not seen.

    Attributes:
        names: the labels, "none" last.
        texts: the held-out phrases, n of them.
        meant: int64 (n,), the label each belongs to.
        shares: float64 (n, labels + 1), the probability each label gets.
    """

    names: list[str]
    texts: list[str]
    meant: IntArray
    shares: FloatArray

    def mass(self) -> FloatArray:
        """Mean share of label j among the phrases of label i: float64 (labels + 1, labels + 1)."""
        return np.array([self.shares[self.meant == label].mean(axis=0) for label in range(len(self.names))])

    def worst(self, count: int) -> list[list[str]]:
        """Rows of meant, taken for, mean share, phrases for which it came first, and the phrase that it wins most."""
        mass = self.mass()
        np.fill_diagonal(mass, 0)
        rows = []
        for meant, taken in zip(*np.unravel_index(np.argsort(-mass, axis=None)[:count], mass.shape), strict=True):
            own = np.flatnonzero(self.meant == meant)
            first = int((self.shares[own].argmax(axis=1) == taken).sum())
            example = own[np.argmax(self.shares[own, taken])]
            shown = f"{self.shares[example, taken]:.2f}  {self.texts[example]}"
            share = f"{mass[meant, taken]:.2f}"
            rows.append([self.names[meant], self.names[taken], share, f"{first} of {len(own)}", shorten(shown)])
        return rows


def confusions(fitted: FittedIndex) -> Confusions:
    """Hide a fifth of the phrases from the ranking, and rank each of them by the rest with the shipped weights."""
    index = fitted.index
    unseen = assign_folds(index.owners) == 0
    rows = np.array([row for row in evidence._queries(index) if unseen[row]], dtype=np.int64)
    kernels = np.zeros((len(unseen), index.spans.labels + 1), dtype=np.float32)
    coefficients = _head(fitted.vectors[~unseen], index.owners[~unseen], index.spans.labels + 1)
    kernels[rows] = kernel_head.kernel(fitted.vectors[rows], fitted.vectors[~unseen]) @ coefficients
    held_out = HeldOut(fitted.vectors, kernels)
    shares = [probabilities(evidence._signals(index, int(row), unseen, held_out), fitted.weights) for row in rows]
    names = [label.name for label in index.book.labels]
    texts = [index.phrases[row].text for row in rows]
    return Confusions([*names, NONE_NAME], texts, index.owners[rows], np.array(shares))


def _head(vectors: VectorArray, owners: IntArray, classes: int) -> VectorArray:
    """The coefficients of `kernel_head.fit` without its own held-out scores, in a quarter of the time.

    Args:
        vectors: float32 (m, d).
        owners: int64 (m,) in [0, classes).
        classes: number of labels, "none" counted.

    Returns:
        float32 (m, classes).
    """
    system = kernel_head.kernel(vectors, vectors)
    spread = np.bincount(owners, minlength=classes)[owners] * len(np.unique(owners)) / len(owners)
    system[np.diag_indices_from(system)] += (kernel_head.PENALTY * spread).astype(np.float32)
    coefficients: VectorArray = np.linalg.solve(system, np.eye(classes, dtype=np.float32)[owners])
    return coefficients


@dataclass(frozen=True)
class CatalogMap:
    """A plane on which like labels are near each other.

    Attributes:
        centroids: float32 (labels, d), unit length.
        anchors: float64 (labels, 2), where each label is on the plane.
    """

    centroids: VectorArray
    anchors: FloatArray

    def place(self, vectors: VectorArray) -> FloatArray:
        """Unit vectors (n, d) to points (n, 2): the mean of the anchors, weighed by how near each label is."""
        similarities = (vectors @ self.centroids.T).astype(np.float64)
        pull = np.exp(SHARPNESS * (similarities - similarities.max(axis=1, keepdims=True)))
        points: FloatArray = pull @ self.anchors / pull.sum(axis=1, keepdims=True)
        return points


def catalog_map(fitted: FittedIndex) -> CatalogMap:
    """Lay the labels' centroids out by least stress, from their two main axes (SMACOF; de Leeuw, 1977)."""
    owners, count = fitted.index.owners, fitted.index.spans.labels
    means = np.array([fitted.vectors[owners == label].mean(axis=0) for label in range(count)])
    centroids = (means / np.linalg.norm(means, axis=1, keepdims=True)).astype(np.float32)
    apart = 1 - (centroids @ centroids.T).astype(np.float64)
    left, sizes, _ = np.linalg.svd(centroids.astype(np.float64) - centroids.mean(axis=0), full_matrices=False)
    points: FloatArray = left[:, :2] * sizes[:2]
    # The sign of an axis is the solver's whim.
    points = points * np.sign(points[np.abs(points).argmax(axis=0), range(2)])
    for _ in range(_STEPS):
        drawn = np.linalg.norm(points[:, None] - points[None], axis=2)
        ratio = np.divide(apart, drawn, out=np.zeros_like(drawn), where=drawn > 0)
        points = (points * ratio.sum(axis=1, keepdims=True) - ratio @ points) / count
    return CatalogMap(centroids, points)


def misses(queries: Sequence[LabelledQuery], results: Sequence[MatchResult]) -> list[list[str]]:
    """Answers that cost more than a good list of candidates, dearest first; of equal cost, the surest first.

    Returns:
        Rows of cost, decision, confidence, wanted, answered, query.
    """
    pairs = [(cost(query, result), query, result) for query, result in zip(queries, results, strict=True)]
    missed = [pair for pair in pairs if pair[0] > decision.CANDIDATES]
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
    """What an answer costs who asked, by the costs that decisions are made with."""
    named = [match.name for match in result.matches[:_SHOWN]]
    if result.decision == "resolved":
        return 0.0 if named[0] in query.gold else decision.WRONG_ANSWER
    if result.decision == "no_match":
        return decision.MISSED if query.gold else 0.0
    return decision.CANDIDATES if set(named) & set(query.gold) else decision.USELESS_CANDIDATES


def shorten(text: str, longest: int = _LONGEST) -> str:
    """A text cut to fit, the cut marked."""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
