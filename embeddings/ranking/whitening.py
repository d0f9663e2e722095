"""Applies the whitening, a map that separates labels better; `embeddings.training.whitening` fits it."""

import math

import numpy as np

from embeddings.arrays import FloatArray


def whiten(vectors: FloatArray, whitening: FloatArray) -> FloatArray:
    """Map vectors from float32 (n, d) to (n, k) and scale them to unit length; a zero vector stays zero."""
    if len(vectors) == 1:
        # Several times as fast as a product of matrices, of which one has a single row.
        row = vectors[0] @ whitening
        row /= np.float32(math.sqrt(row @ row) or 1.0)
        return np.asarray(row[None], dtype=np.float32)
    mapped = vectors @ whitening
    lengths = np.sqrt(np.einsum("ij,ij->i", mapped, mapped))[:, None]
    lengths[lengths == 0] = 1
    return np.asarray(mapped / lengths, dtype=np.float32)
