"""The interface that the matcher needs from an encoder, so that another model or a test double can replace it."""

from collections.abc import Sequence
from typing import Protocol

from embeddings.arrays import FloatArray


class TextEncoder(Protocol):
    """An encoder as the matcher uses it."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    @property
    def fingerprint(self) -> str:
        """Identifies the model; vectors of two encoders are comparable only if their fingerprints are equal."""

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages that the model reads, as ISO 639 codes; empty if they are not known."""

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Embed texts as float32 (n, dimensions), each row of unit length."""

    def knows(self, word: str) -> bool:
        """Return whether the model knows a lower-case word, which is then assumed to be spelled correctly."""
