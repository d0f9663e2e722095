"""An encoder that remembers, so that every matcher of a run sees the same vectors and none pays for them twice."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from embeddings.encoder import Encoder, TextEncoder

Vectors = npt.NDArray[np.float32]


class KnownVectors:
    """Wraps an encoder; a text is encoded once."""

    def __init__(self, encoder: TextEncoder) -> None:
        """Start with nothing known."""
        self._encoder: Final = encoder
        self._known: dict[str, Vectors] = {}

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._encoder.dimensions

    @property
    def fingerprint(self) -> str:
        """Identity of the model."""
        return self._encoder.fingerprint

    def knows(self, word: str) -> bool:
        """Whether a word is one token of the model."""
        return self._encoder.knows(word) if isinstance(self._encoder, Encoder) else False

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts: float32 (len(texts), dimensions)."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            self._known.update(zip(missing, self._encoder.encode(missing), strict=True))
        return np.stack([self._known[text] for text in texts])
