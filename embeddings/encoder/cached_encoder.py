"""An encoder that remembers what it has encoded, for work that encodes the same texts again and again."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.encoder.passed_on import PassedOn
from embeddings.encoder.protocol import TextEncoder

_AT_A_TIME: Final = 512


class CachedEncoder(PassedOn):
    """Encodes each text once, and keeps all vectors: 1.5 kB for each text with the shipped model."""

    def __init__(self, encoder: TextEncoder) -> None:
        """Encode with `encoder`."""
        super().__init__(encoder)
        self._vectors: dict[str, FloatArray] = {}

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Embed texts as float32 (n, dimensions), each row of unit length; only new texts are encoded."""
        new = list(dict.fromkeys(text for text in texts if text not in self._vectors))
        if new:
            self._vectors.update(zip(new, self._encoder.encode(new), strict=True))
        return np.array([self._vectors[text] for text in texts], dtype=np.float32).reshape(-1, self.dimensions)

    def fill(self, texts: Sequence[str], progress: Callable[[int, int], object]) -> None:
        """Encode texts in parts; `progress` is called with the number of texts done and of all texts."""
        for start in range(0, len(texts), _AT_A_TIME):
            self.encode(texts[start : start + _AT_A_TIME])
            progress(min(start + _AT_A_TIME, len(texts)), len(texts))
