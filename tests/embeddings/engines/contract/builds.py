"""Builds as `build-vectors` makes them."""

from collections.abc import Sequence

from embeddings.ranking.store_changes import retried
from embeddings.stores.manifest import Manifest
from embeddings.stores.record import StoredLabel
from embeddings.stores.store import Store
from tests.embeddings.engines.sample import manifest_of


def published(store: Store, labels: Sequence[StoredLabel], version: str = "v1") -> Manifest:
    """Write labels in two batches, and publish them."""
    half = (len(labels) + 1) // 2
    store.write(version, labels[:half])
    store.write(version, labels[half:])
    manifest = manifest_of(labels)
    store.publish(version, manifest)
    return manifest


def put(store: Store, *labels: StoredLabel) -> None:
    """Put labels, with others that may do the same."""

    def change(revision: str) -> None:
        replaced = store.records([each.key for each in labels])
        store.put(labels, store.manifest().changed(labels, replaced), revision)

    retried(store, change)


def remove(store: Store, *labels: StoredLabel) -> None:
    """Remove labels from the published version."""
    keys = [each.key for each in labels]
    retried(store, lambda revision: store.remove(keys, store.manifest().changed((), labels), revision))
