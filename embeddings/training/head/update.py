"""Corrects a fitted ranking head after some of its phrases changed, without fitting all of it afresh.

The coefficients A solve (K + P) A = Y, as in `embeddings.training.head.kernel_ridge`. After a change, the equations of
the changed phrases and of those nearest to them are solved again, with all other coefficients as they were. This is one
step of block Gauss-Seidel iteration (Golub & Van Loan, Matrix Computations, 2013, section 11.2): its error is that of
the equations left out.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from embeddings.arrays import FloatArray, IntArray
from embeddings.index.kernel_ridge import KernelRidge, kernel
from embeddings.training.head import kernel_ridge

MOST_SOLVED: Final = 3000
"""Phrases whose equations are solved again.

Measured with our catalog (15,240 phrases) on 1,272 labelled queries, after two labels were added to a build without
them: the decision and the first label are those of a build of all in 0.900 of the queries with 1,000, 0.955 with 2,000,
0.969 with 3,000, 0.975 with 5,000, and 0.980 with the head fitted afresh; first place is 0.947, 0.953, 0.954, 0.955 and
0.955, and 0.954 after the build. The update takes 1.7, 1.8, 3.1, 5.0 and 16 seconds of one core. After twenty updates
with 3,000, in which ten labels were removed and added again, first place is 0.952; it was 0.954 before. Many labels
take longer: with one phrase each, 3 seconds for 3,000, 15 for 10,000 and 34 for 16,000."""


@dataclass(frozen=True)
class Change:
    """What changed between two states of a catalog's phrases.

    Attributes:
        before: int64 (n,), the old row of each phrase that stayed under its label; -1 for the others.
        columns: int64 (classes,), the old column of each label, "none" last; -1 for a new label.
        gone: float32 (g, d), vectors of the phrases that are gone.
    """

    before: IntArray
    columns: IntArray
    gone: FloatArray


def update(head: KernelRidge, vectors: FloatArray, labels: IntArray, change: Change) -> KernelRidge:
    """Fit the head to the changed phrases, of which there should be fewer than `MOST_SOLVED`.

    Args:
        head: the head that was fitted before the change.
        vectors: float32 (n, d), unit length, of all phrases after the change.
        labels: int64 (n,) in [0, classes).
        change: what changed.
    """
    started = _carried_over(head, labels, change)
    base, own = vectors[started.landmarks], labels[started.landmarks]
    solved = _nearest(base, np.concatenate([vectors[change.before < 0], change.gone]))
    classes, coefficients = len(change.columns), started.coefficients
    penalty = (kernel_ridge.PENALTY / kernel_ridge.phrase_weights(own, classes))[solved, None]
    near = kernel(base[solved], base)
    residual = kernel_ridge.one_hot(own[solved], classes) - near @ coefficients - penalty * coefficients[solved]
    system = near[:, solved]
    system[np.diag_indices_from(system)] += penalty[:, 0]
    coefficients[solved] += np.linalg.solve(system, residual)
    return started


def _carried_over(head: KernelRidge, labels: IntArray, change: Change) -> KernelRidge:
    """Arrange the old coefficients for the phrases and labels of today; those of changed phrases are zero."""
    place = np.full(max(head.landmarks[-1], change.before.max(initial=0)) + 2, -1, dtype=np.int64)
    place[head.landmarks] = np.arange(len(head.landmarks))
    old = place[change.before]  # The last place stands for the row -1.
    usable = np.flatnonzero((change.before < 0) | (old >= 0))
    landmarks = usable[kernel_ridge.fitted_phrases(labels[usable], kernel_ridge.MOST_FITTED)]
    coefficients = np.zeros((len(landmarks), len(change.columns)), dtype=np.float32)
    rows, columns = np.flatnonzero(old[landmarks] >= 0), np.flatnonzero(change.columns >= 0)
    stayed = np.ix_(old[landmarks[rows]], change.columns[columns])
    coefficients[np.ix_(rows, columns)] = head.coefficients[stayed]
    return KernelRidge(landmarks, coefficients)


def _nearest(vectors: FloatArray, changed: FloatArray) -> IntArray:
    """List the rows of the vectors with the largest cosine to one of the changed, ascending, `MOST_SOLVED` at most."""
    nearness = (vectors @ changed.T).max(axis=1, initial=-1)
    return np.sort(np.argsort(-nearness, kind="stable")[:MOST_SOLVED])
