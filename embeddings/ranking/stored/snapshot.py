"""A stored catalog at one revision: what a process keeps of it."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from embeddings.encoder.protocol import TextEncoder
from embeddings.errors import StoreError
from embeddings.index.fitted_index import FittedIndex
from embeddings.index.stores.excerpt import excerpt, whole_of
from embeddings.index.stores.head_scores import HeadScores
from embeddings.index.stores.record import StoredLabel
from embeddings.index.stores.store import EVERYTHING, Filter, Store
from embeddings.ranking.stored.proposal import Proposer
from embeddings.ranking.stored.ranker import StoredRanker
from embeddings.text.spelling import SpellingCorrector

MOST_RECORDS: Final = 4096
"""Labels that are kept: 46 MB with ten phrases each."""

MOST_EXCERPTS: Final = 32
"""Sets of labels that are kept ready to be ranked: 72 MB with 128 labels of ten phrases each."""

AT_HAND: Final = 256
"""Labels used last that answer while the engine is away."""


class Ready(NamedTuple):
    """Labels that are ready to be ranked."""

    fitted: FittedIndex
    ranker: StoredRanker


class Snapshot:
    """What a process keeps of a catalog until its revision changes. Safe to share between threads."""

    def __init__(self, store: Store, encoder: TextEncoder, revision: str) -> None:
        """Read the manifest.

        Raises:
            StoreError: nothing is stored, or it was made with another model.
        """
        manifest = store.manifest()
        if manifest.model != encoder.fingerprint:
            raise StoreError(
                f"the store's vectors are of model {manifest.model[:16]!r}, and phrases would be embedded with "
                f"{encoder.fingerprint[:16]!r}; vectors of two models cannot be compared; build anew with "
                "'agent-capabilities build-vectors --store', or choose that model with --model-folder"
            )
        self.revision = revision
        self._head = HeadScores(manifest.head) if manifest.head else None
        # Its coefficients are in `HeadScores` now.
        self.manifest = replace(manifest, head=None)
        self._store, self._encoder = store, encoder
        self._corrector = SpellingCorrector.of_counts(manifest.statistics.words)
        self._whole = whole_of(manifest)
        self._lock = threading.Lock()
        self._records: OrderedDict[str, StoredLabel] = OrderedDict()
        self.ready = lru_cache(maxsize=MOST_EXCERPTS)(self._ready)

    @cached_property
    def proposer(self) -> Proposer:
        """Proposes labels of the catalog."""
        return Proposer(self._store, self._encoder, self.manifest.whitening, self._corrector)

    def records(self, keys: Sequence[str]) -> list[StoredLabel]:
        """The records of the keys that there are, in this order."""
        with self._lock:
            missing = [key for key in keys if key not in self._records]
            found = {key: self._records[key] for key in keys if key in self._records}
        if missing:
            found |= {record.key: record for record in self._store.records(missing)}
        with self._lock:
            for key in keys:
                if key in found:
                    self._records[key] = found[key]
                    self._records.move_to_end(key)
            while len(self._records) > max(MOST_RECORDS, len(self.manifest.keys)):
                self._records.popitem(last=False)
        return [found[key] for key in keys if key in found]

    def every(self, where: Filter = EVERYTHING) -> tuple[str, ...]:
        """Keys of all labels of a catalog that is read as a whole, in its order; of a larger one, none."""
        if where == EVERYTHING or not self.manifest.keys:
            return self.manifest.keys
        records = self.records(self.manifest.keys)
        return tuple(record.key for record in records if where.admits(record.label.metadata))

    def at_hand(self, where: Filter = EVERYTHING) -> tuple[str, ...]:
        """Keys of the labels that were used last, in the order of keys."""
        with self._lock:
            found = [key for key, record in self._records.items() if where.admits(record.label.metadata)]
        return tuple(sorted(found[-AT_HAND:]))

    def _ready(self, keys: tuple[str, ...]) -> Ready | None:
        """Labels, ready to be ranked; None if none of them is there."""
        records = self.records(keys)
        if not records:
            return None
        fitted = excerpt(records, self.manifest, self._whole)
        return Ready(
            fitted,
            StoredRanker(fitted, self._encoder, self._corrector, [record.key for record in records], self._head),
        )
