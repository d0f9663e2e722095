"""Puts and removes single labels of a published catalog, while others may do the same."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, TypeVar

from embeddings.arrays import FloatArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.errors import PhraseBookError, StoreChangedError, StoreError
from embeddings.index.vector_product import BLOCK_SIZE, quantize
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook, labels_removed
from embeddings.ranking.signals import whiten
from embeddings.stores.manifest import Manifest
from embeddings.stores.record import KeyedLabel, keyed_labels, records_of, texts_of
from embeddings.stores.store import Store
from embeddings.text.normalization import fold

PATIENCE: Final = 30.0
"""Seconds for which a change is tried again because other writers were quicker."""

_LONGEST_PAUSE: Final = 0.5

Result = TypeVar("Result")


def put_label(store: Store, encoder: TextEncoder, label: Label) -> None:
    """Embed a label, and add it or put it in the place of the one with its key; see `StoreMatcher.put`.

    Raises:
        PhraseBookError: the label cannot be used, or another one has its name and not both have ids.
        StoreChangedError: other writers changed the store each time that this was tried.
        StoreError: the store cannot be written.
    """
    (keyed,) = keyed_labels(PhraseBook((label,)))
    vectors = encoder.encode(texts_of([keyed]))

    def change(revision: str) -> None:
        _check_name(store, keyed.label, keyed.key)
        manifest = store.manifest()
        _check_model(manifest, encoder)
        record = keyed.record(quantize(whiten(vectors, manifest.whitening), BLOCK_SIZE))
        store.put([record], manifest.changed([record], store.records([keyed.key])), revision)

    retried(store, change)


def _check_name(store: Store, label: Label, key: str) -> None:
    namesakes = [record.label for record in store.records(store.named([fold(label.name)])) if record.key != key]
    if any(fold(other.name) == fold(label.name) and not (other.id and label.id) for other in namesakes):
        raise PhraseBookError(
            f"the label {label.name!r} repeats the name of another one; names must differ in more than case and "
            "punctuation, or both labels need an 'id'; rename one, or give each an id"
        )


def _check_model(manifest: Manifest, encoder: TextEncoder) -> None:
    if manifest.model != encoder.fingerprint:
        raise StoreError(
            f"the store's vectors are of model {manifest.model!r}, and the label would be embedded with "
            f"{encoder.fingerprint!r}; vectors of two models cannot be compared; use the model of the store"
        )


def removed_keys(store: Store, name: str) -> list[str]:
    """Remove the labels with exactly this id, else with this name but for case and punctuation; returns their keys.

    Raises:
        StoreChangedError: other writers changed the store each time that this was tried.
        StoreError: the store cannot be written, or no label would be left.
    """

    def change(revision: str) -> list[str]:
        records = store.records(store.named([*dict.fromkeys((fold(name), name.strip()))]))
        removed = labels_removed([record.label for record in records], name)
        gone = [record for record in records if record.label in removed]
        if not gone:
            return []
        manifest = store.manifest()
        if manifest.statistics.labels <= len(gone):
            raise StoreError(
                f"{name!r} is the last label; a catalog has at least one; put another one first, or build another "
                "catalog"
            )
        keys = [record.key for record in gone]
        store.remove(keys, manifest.changed([], gone), revision)
        return keys

    return retried(store, change)


def retried(store: Store, change: Callable[[str], Result]) -> Result:
    """Make a change, given the revision that it starts from; again if another writer was quicker."""
    end, pause = time.monotonic() + PATIENCE, 0.01
    while True:
        try:
            # The revision is read first, so that nothing of what the change is made from is older.
            return change(store.revision())
        except StoreChangedError:
            if time.monotonic() > end:
                raise
        time.sleep(random.uniform(0, pause))  # noqa: S311 (so that two do not meet again)
        pause = min(2 * pause, _LONGEST_PAUSE)


PUT_AT_ONCE: Final = 256
"""Labels that are put in one step. A manifest is written with each, and what others wait for should not take long."""


def stored_labels(store: Store, keys: Sequence[str]) -> dict[str, Label]:
    """Return the labels of the keys that there are.

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
