"""Builds a catalog into a store, batch by batch, so that a killed build goes on where it was."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from embeddings.encoder.protocol import TextEncoder
from embeddings.index.fitted_index import FittedIndex
from embeddings.index.quantization import Blocks, quantize
from embeddings.index.stores.manifest import MOST_HEAD, Head, Manifest, drawn, few
from embeddings.index.stores.record import NONE_KEY, StoredLabel
from embeddings.index.stores.statistics import Statistics
from embeddings.index.stores.store import Store
from embeddings.index.vector_product import BLOCK_SIZE
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.message.language import mostly_english
from embeddings.ranking.whitening import whiten
from embeddings.training.build import Progress, build, embed
from embeddings.training.head.kernel_ridge import MOST_FITTED as MOST_LANDMARKS
from embeddings.training.stored.plan import (
    Planned,
    batches,
    catalog_fingerprint,
    fitted_part,
    planned,
    version_of,
)

_COUNTED_AT_ONCE = 4096
"""Labels whose terms are added to the statistics in one step."""


class Built(NamedTuple):
    """What a build did: how many labels and phrases the store has now, and how many phrases were embedded."""

    labels: int
    phrases: int
    embedded: int


def build_store(book: PhraseBook, encoder: TextEncoder, store: Store, progress: Progress | None = None) -> Built:
    """Fit a catalog, write it beside what the store has published, and publish it.

    What an earlier build of the same catalog wrote before it was killed is not embedded again, apart from the phrases
    that whitening and weights are fitted to, and the result is the same.

    Args:
        book: the catalog.
        encoder: embeds it, and the queries later.
        store: where to write.
        progress: called with the number of phrases written so far and the number of all phrases.

    Raises:
        StoreError: the store cannot be written.
    """
    labels = planned(book)
    catalog = catalog_fingerprint(book, labels)
    version = version_of(book, catalog, encoder.fingerprint)
    total = sum(len(label.phrases) for label in labels)
    part = fitted_part(book, total)
    with_head = len(part.labels) == len(book.labels) and min(total, MOST_LANDMARKS) * (len(labels) + 1) <= MOST_HEAD
    fitted = build(part, encoder, progress, with_head=with_head).index
    writer = _Writer(store, version, encoder, fitted, whole=part is book)
    embedded = writer.write(labels, progress)
    manifest = _manifest(labels, fitted, catalog, writer.statistics)
    texts = [text for label in labels for text, _ in label.phrases]
    store.publish(version, replace(manifest, english=mostly_english(texts, encoder.knows)))
    return Built(len(labels), total, embedded + len(fitted.corpus.phrases))


class _Writer:
    """Writes the labels of a version that are not written yet, and adds up the statistics of all."""

    def __init__(self, store: Store, version: str, encoder: TextEncoder, fitted: FittedIndex, *, whole: bool) -> None:
        """Write to a version; `whole` says that the index has the vectors of all phrases."""
        self._store, self._version, self._encoder, self._fitted = store, version, encoder, fitted
        self._whole = whole
        self._waiting: list[StoredLabel] = []
        self.statistics = Statistics()

    def write(self, labels: Sequence[Planned], progress: Progress | None) -> int:
        """Write labels; returns how many phrases were embedded."""
        stored = self._store.stored(self._version)
        total, done, embedded = sum(len(label.phrases) for label in labels), 0, 0
        for batch in batches(labels):
            size = sum(len(label.phrases) for label in batch)
            self._count(batch)
            # A batch is embedded as a whole, because the last bit of a product depends on what stands beside it.
            if any(stored.get(label.key) != label.fingerprint for label in batch):
                self._store.write(self._version, self._with_vectors(batch, done, size))
                embedded += 0 if self._whole else size
            done += size
            if progress:
                progress(done, total)
        self._add_up()
        return embedded

    def _with_vectors(self, batch: Sequence[Planned], start: int, size: int) -> list[StoredLabel]:
        if self._whole:
            vectors = _rows(self._fitted.blocks, start, start + size)
        else:
            texts = [text for label in batch for text, _ in label.phrases]
            vectors = quantize(whiten(embed(texts, self._encoder), self._fitted.whitening), BLOCK_SIZE)
        ends = np.cumsum([0, *(len(label.phrases) for label in batch)]).tolist()
        return [
            StoredLabel.of(label.key, label.label, label.phrases, _rows(vectors, first, end))
            for label, first, end in zip(batch, ends, ends[1:], strict=False)
        ]

    def _count(self, batch: Sequence[Planned]) -> None:
        for label in batch:
            self._waiting.append(
                StoredLabel.of(label.key, label.label, label.phrases, _rows(self._fitted.blocks, 0, 0))
            )
        if len(self._waiting) >= _COUNTED_AT_ONCE:
            self._add_up()

    def _add_up(self) -> None:
        self.statistics = self.statistics.changed(self._waiting)
        self._waiting = []


def _manifest(labels: Sequence[Planned], fitted: FittedIndex, catalog: str, statistics: Statistics) -> Manifest:
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
    """The phrases that no label fits, as a record."""
    first, end = int(fitted.corpus.spans.starts[-1]), fitted.corpus.spans.total
    if first == end:
        return None
    phrases = tuple((phrase.text, phrase.kind) for phrase in fitted.corpus.phrases[first:])
    return StoredLabel.of(NONE_KEY, Label("none"), phrases, _rows(fitted.blocks, first, end))


def _head(labels: Sequence[Planned], fitted: FittedIndex) -> Head | None:
    if not fitted.head.coefficients.any():
        return None
    rows = fitted.head.landmarks
    landmarks = Blocks(fitted.blocks.values[rows], fitted.blocks.scales[rows], fitted.blocks.width)
    return Head(landmarks, np.ascontiguousarray(fitted.head.coefficients), tuple(label.key for label in labels))


def _rows(blocks: Blocks, start: int, end: int) -> Blocks:
    return Blocks(blocks.values[start:end], blocks.scales[start:end], blocks.width)
