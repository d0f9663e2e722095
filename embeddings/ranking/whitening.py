"""Applies the whitening, a map that separates labels better; `embeddings.training.whitening` fits it."""

import numpy as np

from embeddings.arrays import FloatArray


def whiten(vectors: FloatArray, whitening: FloatArray) -> FloatArray:
    """Map vectors from float32 (n, d) to (n, k) and scale them to unit length; a zero vector stays zero."""
    mapped = vectors @ whitening
    lengths = np.linalg.norm(mapped, axis=1, keepdims=True)
    return np.asarray(mapped / np.where(lengths == 0, 1, lengths), dtype=np.float32)
