"""Builds a catalog into a store, batch by batch, so that a killed build goes on where it was."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from embeddings.encoder.protocol import TextEncoder
from embeddings.index.fitted_index import FittedIndex
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.message import mostly_english
from embeddings.stores.manifest import MAX_HEAD, Head, Manifest, Statistics, drawn, few
from embeddings.stores.record import NONE_KEY, KeyedLabel, StoredLabel, keyed_labels, texts_of
from embeddings.stores.store import Store
from embeddings.training.build import build
from embeddings.training.kernel_ridge import MAX_FITTED as MAX_LANDMARKS
from embeddings.training.store_progress import KeptEncoder, KeptVectors
from embeddings.training.store_writer import (
    StoreProgress,
    Writer,
    catalog_fingerprint,
    fitted_part,
    fitting,
    version_of,
)


class Built(NamedTuple):
    """The outcome of a build: how many labels and phrases the store has now, and how many texts were embedded."""

    labels: int
    phrases: int
    embedded: int


def build_store(
    book: PhraseBook,
    encoder: TextEncoder,
    store: Store,
    progress: StoreProgress | None = None,
    folder: Path | None = None,
) -> Built:
    """Fit a catalog, write it beside what the store has published, and publish it.

    What an earlier build of the same catalog embedded before it was killed is not embedded again, and the result is the
    same.

    Args:
        book: the catalog.
        encoder: embeds it, and the queries later.
        store: where to write.
        progress: called with how far the build is.
        folder: keeps the vectors that are fitted to, until the build is published; without it, a killed build embeds
            them again. Batches that were written are kept by the store.

    Raises:
        StoreError: the store cannot be written.
        WorkerError: other processes embed, and one of them failed.
    """
    labels = keyed_labels(book)
    catalog = catalog_fingerprint(book, labels)
    version = version_of(book, catalog, encoder.fingerprint)
    total = sum(len(label.phrases) for label in labels)
    part = fitted_part(book, total)
    with_head = len(part.labels) == len(book.labels) and min(total, MAX_LANDMARKS) * (len(labels) + 1) <= MAX_HEAD
    kept = KeptVectors.of(folder, version, encoder.dimensions)
    keeping, using = KeptEncoder(encoder, kept, adds=True), KeptEncoder(encoder, kept, adds=False)
    fitted = build(part, keeping, fitting(progress, lambda: keeping.skipped), with_head=with_head).index
    writer = Writer(store, version, using, fitted, whole=part is book)
    statistics = writer.write(labels, progress)
    manifest = _manifest(labels, fitted, catalog, statistics)
    store.publish(version, replace(manifest, english=mostly_english(texts_of(labels), encoder.knows)))
    kept.forget()
    return Built(len(labels), total, keeping.embedded + using.embedded)


def _manifest(labels: Sequence[KeyedLabel], fitted: FittedIndex, catalog: str, statistics: Statistics) -> Manifest:
    outside = _outside(fitted)
    phrases = sum(len(label.phrases) for label in labels)
    return Manifest(
        model=fitted.model,
        catalog=catalog,
        whitening=fitted.whitening,
        weights=fitted.weights,
        statistics=statistics.changed([outside], labels=False) if outside else statistics,
        outside=outside,
        head=_head(labels, fitted),
        keys=tuple(label.key for label in labels) if few(len(labels), phrases) else (),
        sample=drawn(label.key for label in labels),
    )


def _outside(fitted: FittedIndex) -> StoredLabel | None:
    """Return the phrases that no label fits, as a record."""
    first, end = int(fitted.corpus.spans.starts[-1]), fitted.corpus.spans.total
    if first == end:
        return None
    phrases = tuple((phrase.text, phrase.kind) for phrase in fitted.corpus.phrases[first:])
    return StoredLabel.of(NONE_KEY, Label("none"), phrases, fitted.blocks.rows(slice(first, end)))


def _head(labels: Sequence[KeyedLabel], fitted: FittedIndex) -> Head | None:
    if not fitted.head.coefficients.any():
        return None
    landmarks = fitted.blocks.rows(fitted.head.landmarks)
    return Head(landmarks, np.ascontiguousarray(fitted.head.coefficients), tuple(label.key for label in labels))
