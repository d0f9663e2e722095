"""The ranking head of a stored catalog: scores any of its labels, from products with the head's own phrases."""

from collections.abc import Sequence

import numpy as np

from embeddings.arrays import FloatArray, IntArray
from embeddings.index.kernel_ridge import bell
from embeddings.index.stores.manifest import Head
from embeddings.index.vector_product import VectorProduct


class HeadScores:
    """Scores labels. One a process, because it holds all coefficients; safe to share between threads."""

    def __init__(self, head: Head) -> None:
        """Use a head."""
        self._product = VectorProduct(head.landmarks)
        # Label by label, because a query reads a few of them, with a last row of zeros for labels without a column.
        none = np.zeros((len(head.coefficients), 1), dtype=np.float32)
        self._coefficients = np.ascontiguousarray(np.concatenate([head.coefficients, none], axis=1).T)
        self._columns = {key: column for column, key in enumerate(head.keys)}

    def columns(self, keys: Sequence[str]) -> IntArray:
        """Where labels, and "none" after them, have their coefficients: int64 (len(keys) + 1,)."""
        count = len(self._columns)
        return np.array([*(self._columns.get(key, count + 1) for key in keys), count], dtype=np.int64)

    def __call__(self, vectors: FloatArray, columns: IntArray) -> FloatArray:
        """Score the labels at some columns for whitened vectors: float32 (len(vectors), len(columns))."""
        in_order = len(columns) == len(self._coefficients) - 1 and bool((np.diff(columns) == 1).all())
        coefficients = self._coefficients[:-1] if in_order else self._coefficients[columns]
        scores: FloatArray = bell(self._product(vectors)) @ coefficients.T
        return scores
