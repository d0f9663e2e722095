"""An encoder that embeds only texts whose vectors are not stored."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.encoder.passed_on import PassedOn
from embeddings.encoder.protocol import TextEncoder
from embeddings.encoder.text_vectors import HalfArray, half


class TextStore(Protocol):
    """Vectors by text."""

    def get(self, text: str) -> HalfArray | None:
        """The vector of a text; None if it is not stored."""

    def add(self, vectors: Iterable[tuple[str, HalfArray]]) -> None:
        """Store the vectors of new texts."""


class StoredEncoder(PassedOn):
    """Serves stored vectors, and has the others embedded and stored.

    All vectors have the store's precision, so that a catalog gives the same matcher whether it was stored or not.
    """

    def __init__(self, encoder: TextEncoder, store: TextStore, embedder: Callable[[int], TextEncoder] | None = None):
        """Embed what `store` lacks.

        Args:
            encoder: whose vectors these are.
            store: holds vectors of this encoder.
            embedder: given the number of new texts, the same model, perhaps with more threads (default: `encoder`).
        """
        super().__init__(encoder)
        self._store = store
        self._embedder = embedder or (lambda _: encoder)
        self._awaited: set[str] = set()
        self.embedded = 0
        """Texts embedded so far."""

    @property
    def pending(self) -> int:
        """Texts announced with `expect` that are not embedded yet."""
        return len(self._awaited)

    def expect(self, texts: Iterable[str]) -> None:
        """Announce what will be encoded, so that `pending` counts what is new of it."""
        self._awaited = {text for text in texts if self._store.get(text) is None}

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Embed texts as float32 (n, dimensions); only those that are not stored are embedded."""
        new = [text for text in dict.fromkeys(texts) if self._store.get(text) is None]
        if new:
            vectors = self._embedder(max(len(new), len(self._awaited))).encode(new)
            self._store.add(zip(new, half(vectors), strict=True))
            self.embedded += len(new)
            self._awaited.difference_update(new)
        return np.array([self._store.get(text) for text in texts], dtype=np.float32).reshape(-1, self.dimensions)
