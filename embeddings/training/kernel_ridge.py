"""Fits the ranking head: kernel ridge regression from unit vectors to labels, in closed form.

With K as in `embeddings.index.fitted_index`, the coefficients A solve (K + PENALTY * D) A = Y, where Y marks each
phrase's label and D weighs phrases so that every label counts alike (Rasmussen & Williams, Gaussian Processes for
Machine Learning, 2006, equation 2.25). Of a catalog with more than `MAX_FITTED` phrases, the head is fitted to so many
of them, the labels with the most phrases giving up theirs first (subset of data, section 8.3.3 there).

The system is solved by Gaussian elimination or, where that is faster, by conjugate gradients (Hestenes & Stiefel,
1952), preconditioned by Nystroem's approximation of the system (Frangella, Tropp & Udell, Randomized Nystroem
Preconditioning, 2023). A step of these costs one product with the system, so they pay where there are few right-hand
sides.
"""

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from embeddings.arrays import BoolArray, FloatArray, IntArray
from embeddings.index.fitted_index import MAX_SCORE, SIGNALS, STEPS, ExpectedScores, KernelRidge, kernel, steps

TOLERANCE: Final = 0.01
"""Largest residual, relative to its right-hand side, at which a solution stands. With our catalog (12,953 phrases) the
fitted values then differ from those of elimination by 5e-5 at most, in scores of about 1."""

MAX_STEPS: Final = 1000
"""More than the bound from the condition number, about 2e5 at worst, asks for; our catalog takes 39."""

LANDMARKS: Final = 512
"""Rows behind the approximation: 256 take 47 steps on our catalog, 2,048 hardly fewer than 512 and much longer each."""

_JITTER: Final = 1e-4
_MIN_POSITIVE: Final = 1e-30


def by_conjugate_gradients(system: FloatArray, penalty: FloatArray, targets: FloatArray, seen: BoolArray) -> FloatArray:
    """Solve (system + diag(penalty)) X = targets over the rows and columns that are seen.

    Args:
        system: (n, n), symmetric, positive semidefinite.
        penalty: (n,), positive.
        targets: (n, c).
        seen: (n,), which rows and columns take part.

    Returns:
        (n, c); rows that are not seen are zero.
    """
    rows = seen[:, None].astype(np.float32)
    improve = _preconditioner(system, penalty, seen)
    residual = targets * rows
    goal = TOLERANCE * np.maximum(np.linalg.norm(residual, axis=0), _MIN_POSITIVE)
    solution = np.zeros_like(residual)
    better = improve(residual) * rows
    direction, height = better, _dots(residual, better)
    for _ in range(MAX_STEPS):
        product = (system @ direction + penalty[:, None] * direction) * rows
        step = height / np.maximum(_dots(direction, product), _MIN_POSITIVE)
        solution += step * direction
        residual -= step * product
        if (np.linalg.norm(residual, axis=0) <= goal).all():
            break
        better = improve(residual) * rows
        height, before = _dots(residual, better), height
        direction = better + height / np.maximum(before, _MIN_POSITIVE) * direction
    return solution


def _dots(left: FloatArray, right: FloatArray) -> FloatArray:
    """Inner product of each pair of columns: (c,)."""
    return np.asarray(np.einsum("nc,nc->c", left, right), dtype=np.float32)


def _preconditioner(system: FloatArray, penalty: FloatArray, seen: BoolArray) -> Callable[[FloatArray], FloatArray]:
    """Invert U'U + diag(penalty), where U'U approximates the system from a few of its rows (Woodbury)."""
    rows = np.flatnonzero(seen)
    picked = rows[np.unique(np.linspace(0, len(rows) - 1, min(LANDMARKS, len(rows))).astype(np.int64))]
    inner = system[np.ix_(picked, picked)].astype(np.float64)
    inner[np.diag_indices_from(inner)] += _JITTER
    root = np.linalg.solve(np.linalg.cholesky(inner), system[picked] * seen).astype(np.float32)
    scaled = root / penalty
    middle = (scaled @ root.T).astype(np.float64)
    middle[np.diag_indices_from(middle)] += 1
    inverse = np.linalg.inv(middle).astype(np.float32)

    def improve(residual: FloatArray) -> FloatArray:
        improved = residual / penalty[:, None] - scaled.T @ (inverse @ (scaled @ residual))
        return np.asarray(improved, dtype=np.float32)

    return improve


PENALTY: Final = 0.1
"""0.03, 0.1 and 0.3 differ by less than 0.001 on CLINC150, 10 phrases an intent, 3 seeds."""

MAX_FITTED: Final = 16_000
"""Largest number of phrases that the head is fitted to. Memory: 4 bytes a pair of them, one gigabyte at most, and as
much again where elimination solves the system.

Measured with our catalog and queries of CLINC150 added as out-of-scope phrases, on 2,212 labelled queries: first place
(area under the ROC curve) is 0.9462 (0.978) with 15,940 phrases, 0.9458 (0.977) with 16,060, 0.9462 (0.977) with
17,000 and 0.9448 (0.973) with 20,000. Fitted to all of them: 0.9462 (0.977) and 0.9448 (0.975) with the last two. With
2,048 landmarks (Nystroem's method) for all phrases: 0.9317 (0.969) with 16,060. Far above the limit the part costs
accuracy: with 30,390 phrases, ours and those of CLINC150 in one catalog, first place is 0.925 and fitted to all 0.939;
with 2,048 landmarks it is 0.915."""

_WORTH_STEPS: Final = 120
"""Phrases a label from which conjugate gradients, some 40 products with the system, cost less than elimination, which
costs as much as n / 3 products with one right-hand side."""


def fit(vectors: FloatArray, labels: IntArray, classes: int, folds: IntArray) -> tuple[KernelRidge, FloatArray]:
    """Fit a head, and score phrases by heads that did not see their fold.

    One linear system for all phrases that are fitted, and one for each fold's complement. Single precision is enough:
    the penalty keeps the system's condition number near 10^4.

    Args:
        vectors: float32 (n, d), unit length.
        labels: int64 (n,) in [0, classes).
        classes: number of columns; the last is "none of them".
        folds: int64 (n,), the fold in which a phrase is held out; -1 for one that never is.

    Returns:
        The head, and held-out scores float32 (n, classes), zero where the fold is -1.
    """
    fitted = fitted_phrases(labels, MAX_FITTED)
    base, own = vectors[fitted], labels[fitted]
    system = kernel(base, base)
    targets = one_hot(own, classes)
    penalty = PENALTY / phrase_weights(own, classes)
    solve = by_conjugate_gradients if classes * _WORTH_STEPS < len(own) else _eliminate
    held_out = np.zeros((len(labels), classes), dtype=np.float32)
    for fold in _rows_by_fold(folds):
        solution = solve(system, penalty, targets, ~np.isin(fitted, fold))
        held_out[fold] = kernel(vectors[fold], base) @ solution
    coefficients = solve(system, penalty, targets, np.ones(len(own), dtype=bool))
    return KernelRidge(fitted, coefficients), held_out


MAX_WITHOUT: Final = 6_000
"""Largest number of phrases that the heads of `scores_without_label` are fitted to: the inverse of the system takes
about twice as long as a fit by elimination."""


def scores_without_label(vectors: FloatArray, labels: IntArray, classes: int, rows: IntArray) -> FloatArray:
    """Score phrases by heads that were fitted without any phrase of their label: as queries for what a catalog lacks.

    Taking the phrases B of a label out of a system with inverse V and solution X leaves X - V[:, B] inv(V[B, B]) X[B],
    so that one inverse serves for all labels. With a quarter of the intents of TEXTOIR's OOS known and the share of the
    others stated, 0.928 of its validation queries are answered rightly if "none" is weighed by these scores, and 0.892
    if by those of heads that know the label (means of 3 draws).

    Args:
        vectors: float32 (n, d), unit length.
        labels: int64 (n,) in [0, classes).
        classes: number of columns; the last is "none of them".
        rows: int64 (k,), the phrases to score.

    Returns:
        float32 (n, classes), zero but for `rows`.
    """
    fitted = fitted_phrases(labels, MAX_WITHOUT)
    base, own = vectors[fitted], labels[fitted]
    system = kernel(base, base)
    system[np.diag_indices_from(system)] += PENALTY / phrase_weights(own, classes)
    inverse = np.linalg.inv(system)
    solution = inverse @ one_hot(own, classes)
    near = kernel(vectors[rows], base)
    found = near @ solution
    for label in np.unique(labels[rows]):
        out, asked = np.flatnonzero(own == label), np.flatnonzero(labels[rows] == label)
        taken = np.linalg.solve(inverse[np.ix_(out, out)], solution[out])
        found[asked] -= near[asked] @ inverse[:, out] @ taken
    scores = np.zeros((len(labels), classes), dtype=np.float32)
    scores[rows] = found
    return scores


def fitted_phrases(labels: IntArray, most: int) -> IntArray:
    """Rows of the phrases that the head is fitted to, ascending: all of them, or `most` at most.

    Each label keeps as many of its phrases as every label can keep, spread evenly over their order.
    """
    counts = np.bincount(labels)
    share = _largest_share(counts, most)
    if share >= counts.max(initial=0):
        return np.arange(len(labels), dtype=np.int64)
    if share == 0:
        return _spread(np.arange(len(labels), dtype=np.int64), most)
    kept = [_spread(np.flatnonzero(labels == label), share) for label in np.flatnonzero(counts)]
    return np.sort(np.concatenate(kept))


def _largest_share(counts: IntArray, most: int) -> int:
    """Return the largest number of phrases that every label may keep so that `most` are kept at most."""
    low, high = 0, int(counts.max(initial=0))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if np.minimum(counts, middle).sum() <= most else (low, middle - 1)
    return low


def _spread(rows: IntArray, most: int) -> IntArray:
    """Return at most so many rows, evenly spaced."""
    if len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]


def one_hot(labels: IntArray, classes: int) -> FloatArray:
    """Mark each phrase's label with 1: float32 (n, classes)."""
    marks = np.zeros((len(labels), classes), dtype=np.float32)
    marks[np.arange(len(labels)), labels] = 1
    return marks


def phrase_weights(labels: IntArray, classes: int) -> FloatArray:
    """Return a weight a phrase, mean 1, such that the phrases of each label weigh the same together."""
    counts = np.bincount(labels, minlength=classes)
    present = np.count_nonzero(counts)
    return (len(labels) / (present * counts[labels])).astype(np.float32)


def _eliminate(system: FloatArray, penalty: FloatArray, targets: FloatArray, seen: BoolArray) -> FloatArray:
    """Solve the system as `by_conjugate_gradients` does, by Gaussian elimination."""
    solution = np.zeros_like(targets)
    inner = system[np.ix_(seen, seen)]
    inner[np.diag_indices_from(inner)] += penalty[seen]
    solution[seen] = np.linalg.solve(inner, targets[seen])
    return solution


def _rows_by_fold(folds: IntArray) -> Iterator[IntArray]:
    for fold in np.unique(folds[folds >= 0]):
        yield np.flatnonzero(folds == fold)


DEVIATIONS: Final = 3.0
"""Standard deviations within which nearly all scores lie."""

MIN_MEASURED: Final = 20
"""Minimum measured labels of a range; with fewer, any score is possible there."""

_DECIMALS: Final = 4


def expected_scores(features: FloatArray) -> ExpectedScores:
    """Measure scores by cosine.

    Args:
        features: float32 (n, alternatives, signals) of held-out phrases; the last alternative is "none".
    """
    cosines, scores = (
        features[:, :-1, SIGNALS.index(name)].ravel().astype(np.float64) for name in ("cosine", "kernel")
    )
    ranges = steps(cosines.astype(np.float32))
    counts = np.bincount(ranges, minlength=STEPS)
    mean = np.bincount(ranges, weights=scores, minlength=STEPS) / np.maximum(counts, 1)
    variance = np.bincount(ranges, weights=(scores - mean[ranges]) ** 2, minlength=STEPS) / np.maximum(counts, 1)
    spread = np.where(counts < MIN_MEASURED, MAX_SCORE, np.minimum(DEVIATIONS * np.sqrt(variance), MAX_SCORE))
    return ExpectedScores(*(np.round(np.clip(each, -MAX_SCORE, MAX_SCORE), _DECIMALS) for each in (mean, spread)))
