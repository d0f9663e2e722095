"""An encoder that caches vectors, so that all matchers of a run use the same and each text is encoded once."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.encoder.protocol import TextEncoder


class KnownVectors:
    """Wraps an encoder and encodes each text once."""

    def __init__(self, encoder: TextEncoder) -> None:
        """Start with an empty cache."""
        self._encoder: Final = encoder
        self._known: dict[str, FloatArray] = {}

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._encoder.dimensions

    @property
    def fingerprint(self) -> str:
        """Identifies the model."""
        return self._encoder.fingerprint

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages that the model reads."""
        return self._encoder.languages

    def knows(self, word: str) -> bool:
        """Whether a word is a single token of the model."""
        return self._encoder.knows(word)

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Return the vectors of texts: float32 (len(texts), dimensions)."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            self._known.update(zip(missing, self._encoder.encode(missing), strict=True))
        return np.stack([self._known[text] for text in texts])
