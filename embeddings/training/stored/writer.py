"""Writes the labels of a version that its store does not have yet, and adds up the statistics of all."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from embeddings.arrays import FloatArray
from embeddings.index.fitted_index import FittedIndex
from embeddings.index.quantization import Blocks, quantize
from embeddings.index.stores.keyed_label import KeyedLabel, records_of, texts_of
from embeddings.index.stores.record import StoredLabel
from embeddings.index.stores.statistics import Statistics
from embeddings.index.stores.store import Store
from embeddings.index.vector_product import BLOCK_SIZE
from embeddings.ranking.whitening import whiten
from embeddings.training.spread.batches import encoded
from embeddings.training.stored.kept import KeptEncoder
from embeddings.training.stored.plan import batches
from embeddings.training.stored.report import Report, StoreProgress

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
        for batch in batches(labels):
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
        """How many of the phrases that were written now are those that were fitted to."""
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
