"""Keeps labels of a store as they should be, many at a time: what is stored with the same texts is left alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Final

from embeddings.arrays import FloatArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.index.quantization import quantize
from embeddings.index.stores.record import StoredLabel, key_of
from embeddings.index.stores.store import Store
from embeddings.index.vector_product import BLOCK_SIZE
from embeddings.labels.label import Label, PhraseKind
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.stored.changes import retried
from embeddings.ranking.whitening import whiten

PUT_AT_ONCE: Final = 256
"""Labels that are put in one step. A manifest is written with each, and what others wait for should not take long."""


@dataclass(frozen=True)
class Wanted:
    """A label as it should be stored, with the phrases that stand for it in its catalog."""

    label: Label
    phrases: tuple[tuple[str, PhraseKind], ...]

    @property
    def key(self) -> str:
        """See `key_of`."""
        return key_of(self.label)


def wanted_labels(book: PhraseBook) -> list[Wanted]:
    """The labels of a catalog, in its order."""
    return [
        Wanted(book.labels[index], tuple((phrase.text, phrase.kind) for phrase in phrases))
        for index, phrases in groupby(book.phrases(), lambda phrase: phrase.label)
    ]


def stored_labels(store: Store, keys: Sequence[str]) -> dict[str, Label]:
    """The labels of the keys that there are.

    Raises:
        StoreError: the store cannot be read.
    """
    return {record.key: record.label for record in store.records(keys)}


def put_labels(store: Store, encoder: TextEncoder, labels: Sequence[Wanted]) -> None:
    """Embed labels with ids, and add them, or put them in the place of those with their ids.

    Raises:
        StoreError: the store cannot be written.
    """
    for batch in _batches(labels):
        vectors = encoder.encode([text for each in batch for text, _ in each.phrases])
        retried(store, partial(_put, store, batch, vectors))


def _put(store: Store, batch: Sequence[Wanted], vectors: FloatArray, revision: str) -> None:
    manifest = store.manifest()
    blocks = quantize(whiten(vectors, manifest.whitening), BLOCK_SIZE)
    records, first = [], 0
    for each in batch:
        end = first + len(each.phrases)
        own = replace(blocks, values=blocks.values[first:end], scales=blocks.scales[first:end])
        records.append(StoredLabel.of(each.key, each.label, each.phrases, own))
        first = end
    store.put(records, manifest.changed(records, store.records([record.key for record in records])), revision)


def _batches(labels: Sequence[Wanted]) -> Iterator[Sequence[Wanted]]:
    for start in range(0, len(labels), PUT_AT_ONCE):
        yield labels[start : start + PUT_AT_ONCE]
