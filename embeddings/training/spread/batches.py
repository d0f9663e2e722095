"""Batches of texts embedded one after the other, or several at a time by an encoder that can do that."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from embeddings.arrays import FloatArray
from embeddings.encoder.protocol import TextEncoder


@runtime_checkable
class BatchEncoder(TextEncoder, Protocol):
    """An encoder that embeds several batches at a time."""

    def encode_batches(self, batches: Iterable[Sequence[str]]) -> Iterator[FloatArray]:
        """Embed batches, and yield the vectors of each in their order; batches are read ahead of what is yielded."""


def encoded(batches: Iterable[Sequence[str]], encoder: TextEncoder) -> Iterator[FloatArray]:
    """The vectors of each batch, in order; they are the same whichever encoder of a model embeds them, and where."""
    return encoder.encode_batches(batches) if isinstance(encoder, BatchEncoder) else map(encoder.encode, batches)
