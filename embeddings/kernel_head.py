"""The ranking head: kernel ridge regression from unit vectors to labels, in closed form.

With K(a, b) = exp((a . b - 1) / WIDTH), the coefficients A solve (K + PENALTY * D) A = Y, where Y marks each phrase's
label and D weighs phrases so that every label counts alike (Rasmussen & Williams, Gaussian Processes for Machine
Learning, 2006, equation 2.25).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from embeddings import conjugate_gradients

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]

WIDTH: Final = 0.4
"""Measured on CLINC150, 10 phrases an intent, 3 seeds, without whitening: first place 0.876 at 0.1, 0.899 at 0.2, 0.903
at 0.3, 0.904 at 0.5; area under the ROC curve for out-of-scope 0.957, 0.965, 0.964, 0.960. Between 0.3 and 0.5 little
changes, with whitening too."""

PENALTY: Final = 0.1
"""0.03, 0.1 and 0.3 differ by less than 0.001 on the same data."""

MOST_EXACT: Final = 16_000
"""Phrases up to which the full system is solved; more are approximated from landmarks. Memory: 4 bytes a pair, one
gigabyte at most, and as much again where elimination solves it."""

LANDMARKS: Final = 2048
"""Phrases that stand for all in the approximation (Nystroem's method; subset of regressors, equation 8.14 there)."""

_WORTH_STEPS: Final = 120
"""Phrases a label from which conjugate gradients, some 40 products with the system, cost less than elimination, which
costs as much as n / 3 products with one right-hand side."""

_CHUNK: Final = 8192
_JITTER: Final = 1e-6


def kernel(left: FloatArray, right: FloatArray) -> FloatArray:
    """K between two sets of unit vectors: float32 (len(left), len(right)) in (0, 1]."""
    return _bell(left @ right.T)


def _bell(similarities: FloatArray) -> FloatArray:
    """The kernel's value at a cosine: 1 at cosine 1. Works in one copy, as there can be a hundred million of them."""
    values = similarities - np.float32(1)
    values /= np.float32(WIDTH)
    np.exp(values, out=values)
    return values


@dataclass(frozen=True)
class KernelHead:
    """A fitted head.

    Attributes:
        landmarks: int64 (m,), rows of the phrase vectors that the kernel is taken to.
        coefficients: float32 (m, labels + 1); the last column is "none of them".
    """

    landmarks: IntArray
    coefficients: FloatArray

    def scores(self, similarities: FloatArray) -> FloatArray:
        """Scores of one query from its cosines to all phrases: float32 (labels + 1,), about 1 for a sure label."""
        picked = similarities if len(self.landmarks) == len(similarities) else similarities[self.landmarks]
        scores: FloatArray = _bell(picked) @ self.coefficients
        return scores


def fit(vectors: FloatArray, labels: IntArray, classes: int, folds: IntArray) -> tuple[KernelHead, FloatArray]:
    """Fit a head, and score phrases by heads that did not see their fold.

    Args:
        vectors: float32 (n, d), unit length.
        labels: int64 (n,) in [0, classes).
        classes: number of columns; the last is "none of them".
        folds: int64 (n,), the fold in which a phrase is held out; -1 for one that never is.

    Returns:
        The head, and held-out scores float32 (n, classes), zero where the fold is -1.
    """
    fitted = _fit_exact if len(vectors) <= MOST_EXACT else _fit_landmarks
    return fitted(vectors, labels, classes, folds)


def _targets(labels: IntArray, classes: int) -> FloatArray:
    marks = np.zeros((len(labels), classes), dtype=np.float32)
    marks[np.arange(len(labels)), labels] = 1
    return marks


def _weights(labels: IntArray, classes: int) -> FloatArray:
    """A weight a phrase, mean 1, such that the phrases of each label weigh the same together."""
    counts = np.bincount(labels, minlength=classes)
    present = np.count_nonzero(counts)
    return (len(labels) / (present * counts[labels])).astype(np.float32)


def _fit_exact(vectors: FloatArray, labels: IntArray, classes: int, folds: IntArray) -> tuple[KernelHead, FloatArray]:
    """One linear system for all phrases, and one for each fold's complement.

    Single precision is enough: the penalty keeps the system's condition number near 10^4.
    """
    system = kernel(vectors, vectors)
    targets = _targets(labels, classes)
    penalty = PENALTY / _weights(labels, classes)
    solve = conjugate_gradients.solve if classes * _WORTH_STEPS < len(labels) else _eliminate
    held_out = np.zeros((len(labels), classes), dtype=np.float32)
    for fold in _rows_by_fold(folds):
        seen = np.ones(len(labels), dtype=bool)
        seen[fold] = False
        held_out[fold] = system[fold] @ solve(system, penalty, targets, seen)
    coefficients = solve(system, penalty, targets, np.ones(len(labels), dtype=bool))
    return KernelHead(np.arange(len(labels), dtype=np.int64), coefficients), held_out


def _eliminate(system: FloatArray, penalty: FloatArray, targets: FloatArray, seen: BoolArray) -> FloatArray:
    """What `conjugate_gradients.solve` does, by Gaussian elimination."""
    solution = np.zeros_like(targets)
    inner = system[np.ix_(seen, seen)]
    inner[np.diag_indices_from(inner)] += penalty[seen]
    solution[seen] = np.linalg.solve(inner, targets[seen])
    return solution


def _fit_landmarks(
    vectors: FloatArray, labels: IntArray, classes: int, folds: IntArray
) -> tuple[KernelHead, FloatArray]:
    """Least squares on the kernel to `LANDMARKS` phrases, spread evenly over the labels' order."""
    landmarks = np.unique(np.linspace(0, len(vectors) - 1, LANDMARKS).astype(np.int64))
    base = vectors[landmarks]
    weights = _weights(labels, classes)
    inner = kernel(base, base).astype(np.float64)
    products, sums = {}, {}
    for number, fold in enumerate(_rows_by_fold(folds)):
        products[number], sums[number] = _moments(vectors, labels, classes, weights, base, fold)
    product, total = _moments(vectors, labels, classes, weights, base, np.flatnonzero(folds < 0))
    product, total = sum(products.values(), product), sum(sums.values(), total)
    regular = PENALTY * inner + _JITTER * len(vectors) * np.eye(len(landmarks))
    coefficients = np.linalg.solve(product + regular, total).astype(np.float32)
    held_out = np.zeros((len(labels), classes), dtype=np.float32)
    for number, fold in enumerate(_rows_by_fold(folds)):
        unseen = np.linalg.solve(product - products[number] + regular, total - sums[number]).astype(np.float32)
        for start in range(0, len(fold), _CHUNK):
            rows = fold[start : start + _CHUNK]
            held_out[rows] = kernel(vectors[rows], base) @ unseen
    return KernelHead(landmarks, coefficients), held_out


def _moments(
    vectors: FloatArray,
    labels: IntArray,
    classes: int,
    weights: FloatArray,
    base: FloatArray,
    rows: IntArray,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Weighted K'K and K'Y over some phrases, chunk by chunk."""
    product = np.zeros((len(base), len(base)))
    total = np.zeros((len(base), classes))
    for start in range(0, len(rows), _CHUNK):
        chunk = rows[start : start + _CHUNK]
        values = kernel(vectors[chunk], base)
        weighted = values * weights[chunk, None]
        product += weighted.T @ values
        np.add.at(total.T, labels[chunk], weighted)
    return product, total


def _rows_by_fold(folds: IntArray) -> Iterator[IntArray]:
    for fold in np.unique(folds[folds >= 0]):
        yield np.flatnonzero(folds == fold)
