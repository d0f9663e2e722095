"""Single labels of a published catalog put and removed, while others may do the same."""

import random
import time
from collections.abc import Callable
from typing import Final, TypeVar

from embeddings.encoder.protocol import TextEncoder
from embeddings.errors import PhraseBookError, StoreChangedError, StoreError
from embeddings.index.quantization import quantize
from embeddings.index.stores.keyed_label import keyed_labels, texts_of
from embeddings.index.stores.manifest import Manifest
from embeddings.index.stores.store import Store
from embeddings.index.vector_product import BLOCK_SIZE
from embeddings.labels.changed_book import labels_removed
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.whitening import whiten
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
            f"the store's vectors are of model {manifest.model[:16]!r}, and the label would be embedded with "
            f"{encoder.fingerprint[:16]!r}; vectors of two models cannot be compared; use the model of the store"
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
