"""A stored catalog at one revision: what a process keeps of it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

import numpy as np

from embeddings.arrays import FloatArray, IntArray
from embeddings.cache import LruCache
from embeddings.encoder.protocol import TextEncoder
from embeddings.errors import StoreError
from embeddings.index.fitted_index import FittedIndex, bell
from embeddings.index.vector_product import VectorProduct
from embeddings.ranking.rankers import FullRanker, Ranker
from embeddings.ranking.store_proposal import Drawn, Proposer, RankerWithRest
from embeddings.stores.excerpt import excerpt, whole_of
from embeddings.stores.manifest import Head
from embeddings.stores.record import StoredLabel
from embeddings.stores.store import EVERYTHING, Filter, Store
from embeddings.text.spelling import SpellingCorrector


class HeadScores:
    """Scores labels. One a process, because it holds all coefficients; safe to share between threads."""

    def __init__(self, head: Head) -> None:
        """Use a head."""
        self._product = VectorProduct(head.landmarks)
        # Label by label, because a query reads a few of them, with a last row of zeros for labels without a column.
        none = np.zeros((len(head.coefficients), 1), dtype=np.float32)
        self._coefficients = np.ascontiguousarray(np.concatenate([head.coefficients, none], axis=1).T)
        self._columns = {key: column for column, key in enumerate(head.keys)}

    def columns(self, keys: Sequence[str]) -> IntArray:
        """Return where labels, and "none" after them, have their coefficients: int64 (len(keys) + 1,)."""
        count = len(self._columns)
        return np.array([*(self._columns.get(key, count + 1) for key in keys), count], dtype=np.int64)

    def __call__(self, vectors: FloatArray, columns: IntArray) -> FloatArray:
        """Score the labels at some columns for whitened vectors: float32 (len(vectors), len(columns))."""
        in_order = len(columns) == len(self._coefficients) - 1 and bool((np.diff(columns) == 1).all())
        coefficients = self._coefficients[:-1] if in_order else self._coefficients[columns]
        scores: FloatArray = bell(self._product(vectors)) @ coefficients.T
        return scores


class StoredRanker(FullRanker):
    """Ranks an excerpt of a catalog: each signal of a label is what it would be if all labels were there."""

    def __init__(
        self,
        fitted: FittedIndex,
        encoder: TextEncoder,
        corrector: SpellingCorrector,
        keys: Sequence[str],
        head: HeadScores | None,
    ) -> None:
        """Rank an excerpt.

        Args:
            fitted: what `embeddings.stores.excerpt` arranged.
            encoder: embeds queries.
            corrector: of spelling, with the words of the catalog.
            keys: of the labels.
            head: the catalog's ranking head; None if it has none.
        """
        super().__init__(fitted, encoder, corrector)
        self._head = head
        self._columns = head.columns(keys) if head else None

    def _head_scores(self, vectors: FloatArray, cosines: FloatArray) -> Sequence[FloatArray]:
        if self._head is None or self._columns is None:
            return super()._head_scores(vectors, cosines)
        return [*self._head(vectors, self._columns)]


MAX_RECORDS: Final = 4096
"""Labels that are kept: 46 MB with ten phrases each."""

MAX_EXCERPTS: Final = 32
"""Sets of labels that are kept ready to be ranked: 72 MB with 128 labels of ten phrases each."""

AT_HAND: Final = 256
"""Labels used last that answer while the engine is away."""


class Ready(NamedTuple):
    """Labels that are ready to be ranked."""

    fitted: FittedIndex
    ranker: Ranker


class Snapshot:
    """The part of a catalog that a process keeps in memory until its revision changes.

    Safe to share between threads.
    """

    def __init__(self, store: Store, encoder: TextEncoder, revision: str) -> None:
        """Read the manifest.

        Raises:
            StoreError: nothing is stored, or it was made with another model.
        """
        manifest = store.manifest()
        if manifest.model != encoder.fingerprint:
            raise StoreError(
                f"the store's vectors are of model {manifest.model!r}, and phrases would be embedded with "
                f"{encoder.fingerprint!r}; vectors of two models cannot be compared; build anew with "
                "'agent-capabilities build-vectors --store', or choose that model with --model-folder"
            )
        self.revision = revision
        self._head = HeadScores(manifest.head) if manifest.head else None
        # Its coefficients are in `HeadScores` now.
        self.manifest = replace(manifest, head=None)
        self._store, self._encoder = store, encoder
        self._corrector = SpellingCorrector.of_counts(manifest.statistics.words)
        self._whole = whole_of(manifest)
        self._records: LruCache[str, StoredLabel] = LruCache(max(MAX_RECORDS, len(manifest.keys)))
        self.ready = lru_cache(maxsize=MAX_EXCERPTS)(self._ready)

    @cached_property
    def proposer(self) -> Proposer:
        """Proposes labels of the catalog."""
        return Proposer(self._store, self._encoder, self.manifest.whitening, self._corrector)

    def records(self, keys: Sequence[str]) -> list[StoredLabel]:
        """Return the records of the keys that there are, in this order."""
        found = self._records.get_many(keys)
        if missing := [key for key in keys if key not in found]:
            found |= {record.key: record for record in self._store.records(missing)}
            self._records.put_many({key: found[key] for key in keys if key in found})
        return [found[key] for key in keys if key in found]

    def every(self, where: Filter = EVERYTHING) -> tuple[str, ...]:
        """Keys of all labels of a catalog that is read as a whole, in its order; of a larger one, none."""
        if where == EVERYTHING or not self.manifest.keys:
            return self.manifest.keys
        records = self.records(self.manifest.keys)
        return tuple(record.key for record in records if where.admits(record.label.metadata))

    def at_hand(self, where: Filter = EVERYTHING) -> tuple[str, ...]:
        """Keys of the labels that were used last, in the order of keys."""
        found = [record.key for record in self._records.values() if where.admits(record.label.metadata)]
        return tuple(sorted(found[-AT_HAND:]))

    def _ready(self, keys: tuple[str, ...], beside: Filter | None = None) -> Ready | None:
        """Labels, ready to be ranked; None if none of them is there.

        Args:
            keys: of the labels.
            beside: which labels count beside them, and are less likely (default: none).
        """
        records = self.records(keys)
        if not records:
            return None
        fitted, found = excerpt(records, self.manifest, self._whole), [record.key for record in records]
        ranker = StoredRanker(fitted, self._encoder, self._corrector, found, self._head)
        if beside is None or not self._drawn:
            return Ready(fitted, ranker)
        more = self.manifest.statistics.labels - len(found)
        return Ready(fitted, RankerWithRest(ranker, found, more, self._drawn, beside))

    @cached_property
    def _drawn(self) -> Drawn | None:
        """The labels that stand for those that are not proposed."""
        records = self.records(self.manifest.sample)
        ready = self.ready(tuple(record.key for record in records))
        return Drawn(tuple(records), ready.ranker) if ready else None
