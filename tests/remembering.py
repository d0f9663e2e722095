"""The shipped model for tests that build catalogs with it: they share most texts, the background above all."""

from collections.abc import Sequence

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.encoder.encoder import Encoder


class Remembering:
    """Runs each text once, and keeps its vector for the tests that come later."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._vectors: dict[str, FloatArray] = {}
        self.fingerprint = encoder.fingerprint
        self.dimensions = encoder.dimensions
        self.languages = encoder.languages
        self.knows = encoder.knows
        self.unread = encoder.unread

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Return the vectors of texts, as the shipped model does."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        self._vectors |= dict(zip(new, self._encoder.encode(new), strict=True))
        return np.array([self._vectors[text] for text in texts], dtype=np.float32).reshape(-1, self.dimensions)
