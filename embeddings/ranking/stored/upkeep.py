"""Keeps labels of a store as they should be, many at a time: what is stored with the same texts is left alone."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from embeddings.arrays import FloatArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.index.quantization import quantize
from embeddings.index.stores.keyed_label import KeyedLabel, records_of, texts_of
from embeddings.index.stores.store import Store
from embeddings.index.vector_product import BLOCK_SIZE
from embeddings.labels.label import Label
from embeddings.ranking.stored.changes import retried
from embeddings.ranking.whitening import whiten

PUT_AT_ONCE: Final = 256
"""Labels that are put in one step. A manifest is written with each, and what others wait for should not take long."""


def stored_labels(store: Store, keys: Sequence[str]) -> dict[str, Label]:
    """The labels of the keys that there are.

    Raises:
        StoreError: the store cannot be read.
    """
    return {record.key: record.label for record in store.records(keys)}


def put_labels(store: Store, encoder: TextEncoder, labels: Sequence[KeyedLabel]) -> None:
    """Embed labels with ids, and add them, or put them in the place of those with their ids.

    Raises:
        StoreError: the store cannot be written.
    """
    for batch in _batches(labels):
        vectors = encoder.encode(texts_of(batch))
        retried(store, partial(_put, store, batch, vectors))


def _put(store: Store, batch: Sequence[KeyedLabel], vectors: FloatArray, revision: str) -> None:
    manifest = store.manifest()
    records = records_of(batch, quantize(whiten(vectors, manifest.whitening), BLOCK_SIZE))
    store.put(records, manifest.changed(records, store.records([record.key for record in records])), revision)


def _batches(labels: Sequence[KeyedLabel]) -> Iterator[Sequence[KeyedLabel]]:
    for start in range(0, len(labels), PUT_AT_ONCE):
        yield labels[start : start + PUT_AT_ONCE]
