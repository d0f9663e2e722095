"""Writes the labels of a version that its store does not have yet, and adds up the statistics of all."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, Literal, NamedTuple, TypeVar

from embeddings.arrays import FloatArray
from embeddings.index.fitted_index import FittedIndex
from embeddings.index.vector_product import BLOCK_SIZE, Blocks, quantize
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.signals import whiten
from embeddings.stores.manifest import FORMAT, Statistics, combined
from embeddings.stores.record import KeyedLabel, StoredLabel, batches, records_of, texts_of
from embeddings.stores.store import Store
from embeddings.training.build import Progress
from embeddings.training.store_progress import KeptEncoder
from embeddings.training.workers_encoder import encoded

_Item = TypeVar("_Item")

BATCH: Final = 512
"""Phrases of a batch, and those of the last label in it. What a kill costs is one batch."""

MAX_FITTED: Final = 20_000
"""Phrases that whitening, weights and the ranking head are fitted to, so that a build of any size takes a minute for
them: a kill costs this part again. The shipped catalog has 18,647 with its background."""

MIN_LABELS: Final = 500
"""Labels that are fitted to at least, with fewer phrases of each."""


def catalog_fingerprint(book: PhraseBook, labels: Sequence[KeyedLabel]) -> str:
    """See `Manifest.catalog`."""
    outside = json.dumps([book.out_of_scope, book.out_of_scope_share]).encode()
    return combined("", [*(label.fingerprint for label in labels), hashlib.sha256(outside).hexdigest()])


def version_of(book: PhraseBook, catalog: str, model: str) -> str:
    """Identifies what a build makes: the same catalog, in the same order, with the same model."""
    return hashlib.sha256(f"{FORMAT} {catalog} {book.fingerprint} {model}".encode()).hexdigest()[:16]


def fitted_part(book: PhraseBook, phrases: int) -> PhraseBook:
    """Choose the labels to fit to, evenly spread, with as many of their phrasings as can be; all of a small catalog.

    Args:
        book: the catalog.
        phrases: how many it has.
    """
    count = len(book.labels)
    if phrases <= MAX_FITTED:
        return book
    kept = min(count, max(MIN_LABELS, MAX_FITTED * count // phrases))
    labels = _spread(book.labels, kept)
    most = max(1, MAX_FITTED // kept)
    return replace(
        book, labels=tuple(replace(label, phrasings=_spread(label.phrasings, most)) for label in labels), reports=()
    )


def _spread(items: Sequence[_Item], most: int) -> tuple[_Item, ...]:
    """Return at most so many, evenly spaced."""
    if len(items) <= most:
        return tuple(items)
    return tuple(items[place * len(items) // most] for place in range(most))


Stage = Literal["fitting", "writing"]


class Report(NamedTuple):
    """How far a stage of a build is.

    Attributes:
        stage: embedding what whitening and weights are fitted to, or writing labels with the vectors of all phrases.
        done: texts that are done, with those that were skipped.
        total: texts of the stage, at most.
        skipped: those that were not embedded, because an earlier stage or build had done it.
    """

    stage: Stage
    done: int
    total: int
    skipped: int


StoreProgress = Callable[[Report], None]


def fitting(progress: StoreProgress | None, skipped: Callable[[], int]) -> Progress | None:
    """Return what fitting reports to, given how many texts it has skipped so far."""
    if progress is None:
        return None
    return lambda done, total: progress(Report("fitting", done, total, min(skipped(), done)))


_COUNTED_AT_ONCE: Final = 4096
"""Labels whose terms are added to the statistics in one step."""


class _Missing(NamedTuple):
    """A batch that is to be written, and the number of phrases before it."""

    batch: list[KeyedLabel]
    start: int


class Writer:
    """Writes a version."""

    def __init__(self, store: Store, version: str, encoder: KeptEncoder, fitted: FittedIndex, *, whole: bool) -> None:
        """Write to a version; `whole` says that the index has the vectors of all phrases."""
        self._store, self._version, self._encoder, self._fitted = store, version, encoder, fitted
        self._whole = whole
        self._waiting: list[StoredLabel] = []
        self._statistics = Statistics()

    def write(self, labels: Sequence[KeyedLabel], progress: StoreProgress | None) -> Statistics:
        """Write labels; returns the statistics of all of them."""
        stored = self._store.stored(self._version)
        missing: list[_Missing] = []
        total, skipped = 0, 0
        for batch in batches(labels, BATCH):
            # A batch is written as a whole, because the last bit of a product depends on what stands beside it.
            if any(stored.get(label.key) != label.fingerprint for label in batch):
                missing.append(_Missing(batch, total))
            else:
                skipped += _size(batch)
                self._count([label.record(self._fitted.blocks.rows(slice(0))) for label in batch])
            total += _size(batch)
        done = skipped
        if progress:
            progress(Report("writing", done, total, skipped))
        for (batch, _), vectors in zip(missing, self._vectors(missing), strict=True):
            records = records_of(batch, vectors)
            self._store.write(self._version, records)
            self._count(records)
            done += _size(batch)
            if progress:
                progress(Report("writing", done, total, skipped + self._skipped(done - skipped)))
        self._add_up()
        return self._statistics

    def _skipped(self, written: int) -> int:
        """Return how many of the phrases that were written now are those that were fitted to."""
        return written if self._whole else min(self._encoder.skipped, written)

    def _vectors(self, missing: Sequence[_Missing]) -> Iterator[Blocks]:
        if self._whole:
            return (self._fitted.blocks.rows(slice(start, start + _size(batch))) for batch, start in missing)
        return map(self._blocks, encoded((texts_of(batch) for batch, _ in missing), self._encoder))

    def _blocks(self, vectors: FloatArray) -> Blocks:
        return quantize(whiten(vectors, self._fitted.whitening), BLOCK_SIZE)

    def _count(self, records: Sequence[StoredLabel]) -> None:
        self._waiting += records
        if len(self._waiting) >= _COUNTED_AT_ONCE:
            self._add_up()

    def _add_up(self) -> None:
        self._statistics = self._statistics.changed(self._waiting)
        self._waiting = []


def _size(batch: Sequence[KeyedLabel]) -> int:
    return sum(len(label.phrases) for label in batch)
