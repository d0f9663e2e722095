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
_LONGEST: Final = 80
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
        """The pairs of labels that are confused most, as rows of `_row`."""
        mass = self.mass()[:-1, :-1]
        np.fill_diagonal(mass, 0)
        pairs = np.unravel_index(np.argsort(-mass, axis=None, kind="stable")[:count], mass.shape)
        return [self._row(int(meant), int(taken)) for meant, taken in zip(*pairs, strict=True)]

    def turned_away(self, count: int) -> list[list[str]]:
        """The labels that lose most to "none", as rows of `_row`."""
        lost = self.mass()[:-1, -1]
        return [self._row(int(meant), -1) for meant in np.argsort(-lost, kind="stable")[:count]]

    def _row(self, meant: int, taken: int) -> list[str]:
        """Meant, taken for, mean share, for how many phrases it came first, and the phrase of which it gets most."""
        own = np.flatnonzero(self.meant == meant)
        lost = self.shares[own, taken]
        first = int((lost == self.shares[own].max(axis=1)).sum())
        example = f"{lost.max():.2f}: {self.texts[own[lost.argmax()]]}"
        return [self.names[meant], self.names[taken], f"{lost.mean():.2f}", f"{first} of {len(own)}", shorten(example)]


def confusions(fitted: FittedIndex) -> Confusions:
    """Hide a fifth of the phrases from the ranking, and rank each of them by the rest with the shipped weights."""
    index, classes = fitted.index, fitted.index.spans.labels + 1
    vectors = fitted.vectors
    unseen = assign_folds(index.owners) == 0
    folds = np.where(unseen, 0, -1)
    seen = np.flatnonzero(~unseen)
    never = np.full(len(seen), -1)
    head, _ = kernel_head.fit(vectors[seen], index.owners[seen], classes, never)
    rows = evidence._queries(index, folds)
    kernels = np.zeros((len(unseen), classes), dtype=np.float32)
    kernels[rows] = [head.scores(cosines) for cosines in vectors[rows] @ vectors[seen].T]
    held_out = HeldOut(vectors, kernels)
    shares = [probabilities(evidence._signals(index, int(row), unseen, held_out), fitted.weights) for row in rows]
    names = [label.name for label in index.book.labels]
    texts = [index.phrases[row].text for row in rows]
    return Confusions([*names, NONE_NAME], texts, index.owners[rows], np.array(shares))


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
