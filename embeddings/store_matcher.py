"""The matcher over a store: the store proposes labels, which are ranked as if the whole catalog were in memory."""

import logging
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Self

from embeddings.encoder.protocol import TextEncoder
from embeddings.engines.uri import open_store
from embeddings.errors import StoreAwayError, StoreError
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook, labels_called
from embeddings.ranking.answering import AnsweringCatalog, Examination, check_query
from embeddings.ranking.decision import DEFAULT_COSTS, Costs
from embeddings.ranking.explanation import Explanation
from embeddings.ranking.match_result import DEFAULT_TOP, MatchResult
from embeddings.ranking.store_changes import put_label, removed_keys
from embeddings.ranking.store_snapshot import Ready, Snapshot
from embeddings.stores.manifest import FEW
from embeddings.stores.store import EVERYTHING, Filter, Store
from embeddings.text.normalization import fold

if TYPE_CHECKING:
    from embeddings.training.store_build import Built
    from embeddings.training.store_writer import StoreProgress

logger = logging.getLogger(__name__)

ASKED_EVERY: Final = 1.0
"""Seconds after which a process asks the store whether the catalog changed."""

RETRIED_AFTER: Final = 5.0
"""Seconds for which an engine that was away is not asked again, so that not every phrase waits for it."""


class StoreMatcher:
    """Matches phrases against a stored catalog. Safe to share between threads.

    While the engine is away, phrases are matched with the labels that were used last, and results are `degraded`.
    """

    def __init__(
        self,
        store: Store,
        encoder: TextEncoder,
        *,
        costs: Costs = DEFAULT_COSTS,
        where: Filter = EVERYTHING,
        among: frozenset[str] | None = None,
    ) -> None:
        """Match against what a store has published.

        Args:
            store: the catalog.
            encoder: the encoder that made its vectors.
            costs: what mistakes cost the caller.
            where: which labels count; the engine applies it.
            among: of these, only labels with these keys count (default: all). Up to `FEW` are all ranked for every
                phrase; of more, those among what the engine proposes.

        Raises:
            StoreError: nothing is stored, it was made with another model, or the engine is away.
        """
        self._store, self._encoder, self._costs, self._where = store, encoder, costs, where
        self._among = among
        self._lock = threading.Lock()
        self._phrases = 0
        self._asked = self._retried = 0.0
        self._away: StoreAwayError | None = None
        self._known = Snapshot(store, encoder, store.revision())
        self._asked = time.monotonic()

    @classmethod
    def open(cls, uri: str, encoder: TextEncoder, *, costs: Costs = DEFAULT_COSTS, where: Filter = EVERYTHING) -> Self:
        """Open a store; see `embeddings.engines.uri.open_store`, and the constructor."""
        return cls(open_store(uri), encoder, costs=costs, where=where)

    @classmethod
    def build(
        cls, book: PhraseBook, encoder: TextEncoder, store: Store, progress: "StoreProgress | None" = None
    ) -> "Built":
        """Build a catalog into a store, and publish it; see `embeddings.training.store_build.build_store`.

        Raises:
            StoreError: the store cannot be written.
        """
        # Imported here because answering queries does not need the training code.
        from embeddings.training.store_build import build_store

        return build_store(book, encoder, store, progress)

    def match(self, phrase: str, top: int | None = None) -> MatchResult:
        """Find the labels that a phrase can mean; see `Matcher.match`.

        Raises:
            PhraseError: the phrase is not a string, or is blank.
            ValueError: `top` is below 1.
            StoreAwayError: the engine is away, and no label was used before.
            StoreError: the store cannot be used.
        """
        check_query(phrase, DEFAULT_TOP if top is None else top)
        ready, away = self._ready(phrase, bare=top in {None, 1})
        if ready is None:
            return MatchResult(phrase, "no_match", away, (), 1.0)
        result = self._over(ready).match(phrase, top, None)
        return replace(result, degraded=True) if away else result

    def explain(self, phrase: str, top: int = DEFAULT_TOP) -> Explanation:
        """Explain how a phrase is ranked; see `Matcher.explain`."""
        return self.examine(phrase, explained=top).explanation

    def examine(
        self, phrase: str, top: int | None = None, explained: int | None = None, beside: Sequence[str] = ()
    ) -> Examination:
        """Match a phrase and explain it from one reading; see `Matcher.examine`.

        Args:
            phrase: as there.
            top: as there.
            explained: as there.
            beside: names or ids of labels that are ranked in any case.

        Raises:
            StoreError: the store cannot be used, or no label counts.
        """
        check_query(phrase, DEFAULT_TOP if top is None else top)
        ready, away = self._ready(phrase, bare=False, beside=beside)
        if ready is None:
            raise StoreError(
                f"no label of the store counts with {self._where}; a phrase is explained by labels; match with a wider "
                "filter"
            )
        found = self._over(ready).examine(phrase, top, explained)
        return replace(found, result=replace(found.result, degraded=True)) if away else found

    def try_out(self) -> None:
        """Rank a trial phrase, so that a broken store is found before the first query.

        Raises:
            StoreError: the store cannot be used.
        """
        self.match("a trial phrase", top=1)

    def put(self, label: Label) -> None:
        """Add a label, or replace the one with its id or, without an id, its name. Other processes see it in a second.

        Whitening, weights and the ranking head stay as they were fitted, and the head has no score for the phrases that
        came, so that a new label must win by its cosines, words and letters, and confidences are less well calibrated.
        So the matcher `is_approximate` until the next build. Of several that change a store at once, no change is lost.

        Raises:
            PhraseBookError: the label cannot be used, or another one has its name and not both have ids.
            StoreError: the store cannot be written.
        """
        put_label(self._store, self._encoder, label)
        self._refresh()

    def remove(self, name: str) -> int:
        """Remove the labels with this id or name; see `put` for what follows. Returns how many there were.

        Raises:
            StoreError: the store cannot be written, or no label would be left.
        """
        removed = removed_keys(self._store, name)
        self._refresh()
        return len(removed)

    def labels(self, name: str) -> list[Label]:
        """Return the labels with exactly this id or name.

        If there are none, return those with this name but for its spelling.
        """
        snapshot = self._current()
        keys = snapshot.proposer.named(name, self._where)
        return labels_called([record.label for record in snapshot.records(self._counted(keys))], name)

    @property
    def size(self) -> int:
        """Number of labels."""
        return self._known.manifest.statistics.labels

    @property
    def phrase_count(self) -> int:
        """Number of phrases of the labels; while the engine is away, as it was before."""
        with suppress(StoreAwayError):
            self._phrases = self._store.count().phrases
        return self._phrases

    def whole(self) -> AnsweringCatalog | None:
        """Return all labels, if the catalog is small enough to read as a whole (`FEW` labels); see `Matcher.whole_of`.

        Raises:
            StoreError: the store cannot be used.
        """
        snapshot = self._current()
        ready = snapshot.ready(self._every(snapshot))
        return self._over(ready) if ready else None

    @property
    def shared_names(self) -> frozenset[str]:
        """Names that several of the labels used last have; see `Matcher.shared_names`."""
        labels = [record.label for record in self._known.records(self._known.at_hand())]
        counts = Counter(fold(label.name) for label in labels)
        return frozenset(label.name for label in labels if counts[fold(label.name)] > 1)

    @property
    def is_degraded(self) -> bool:
        """Whether the engine is away; asks it if that was not done a moment ago."""
        try:
            self._current()
        except StoreAwayError as error:
            self._note(error)
        return self._away is not None

    @property
    def is_approximate(self) -> bool:
        """Whether labels changed since the catalog was built."""
        return self._known.manifest.approximate

    @property
    def model_fingerprint(self) -> str:
        """Fingerprint of the model that made the vectors."""
        return self._known.manifest.model

    @property
    def catalog_fingerprint(self) -> str:
        """Identifies what all labels say."""
        return self._known.manifest.catalog

    def close(self) -> None:
        """Let go of the store's connections and files."""
        self._store.close()

    def _over(self, ready: Ready) -> AnsweringCatalog:
        return AnsweringCatalog(ready.fitted.corpus, lambda: ready.ranker, ready.fitted, self._encoder, self._costs)

    def _ready(self, phrase: str, *, bare: bool, beside: Sequence[str] = ()) -> tuple[Ready | None, bool]:
        """Propose labels that a phrase may mean, and tell whether only those in memory are, because the engine is away.

        Args:
            phrase: any text.
            bare: a label that alone has the phrase as its name is enough.
            beside: names or ids of labels that are among them in any case.
        """
        try:
            snapshot = self._current()
            return self._proposed(snapshot, phrase, bare, beside), False
        except StoreAwayError as error:
            self._note(error)
            keys = self._every(self._known) or self._counted(self._known.at_hand(self._where))
            if not keys:
                raise
            return self._known.ready(keys), True

    def _proposed(self, snapshot: Snapshot, phrase: str, bare: bool, beside: Sequence[str]) -> Ready | None:
        if whole := self._every(snapshot):
            return snapshot.ready(whole)
        if snapshot.manifest.keys:
            return None
        exact = self._counted([key for text in (phrase, *beside) for key in snapshot.proposer.named(text, self._where)])
        if bare and exact:
            ready = snapshot.ready(tuple(sorted(exact)))
            if ready and len(ready.fitted.corpus.names.lookup(phrase)[0]) == 1:
                return ready
        return snapshot.ready(
            tuple(sorted(self._counted(snapshot.proposer.propose(phrase, exact, self._where)))), self._where
        )

    def _every(self, snapshot: Snapshot) -> tuple[str, ...]:
        """Keys of all labels that count, if they are few; otherwise none."""
        if self._among is not None and len(self._among) <= FEW and not snapshot.manifest.keys:
            return tuple(sorted(self._among))
        return self._counted(snapshot.every(self._where))

    def _counted(self, keys: Sequence[str]) -> tuple[str, ...]:
        among = self._among
        return tuple(key for key in keys if among is None or key in among)

    def _current(self) -> Snapshot:
        """Return the snapshot of the catalog as it is now.

        Raises:
            StoreAwayError: the engine is away, or was a moment ago.
        """
        if self._is_due() and self._lock.acquire(blocking=False):
            # Others need not wait: they go on with what is known.
            try:
                self._ask()
            finally:
                self._lock.release()
        if self._away:
            raise self._away
        return self._known

    def _is_due(self) -> bool:
        """Return whether the store is to be asked what is published."""
        now = time.monotonic()
        return now - self._retried >= RETRIED_AFTER if self._away else now - self._asked >= ASKED_EVERY

    def _note(self, error: StoreAwayError) -> None:
        if self._away is error:
            return
        if self._away is None:
            logger.warning("the store's engine is away; labels used last answer, degraded: %s", error)
        self._away, self._retried = error, time.monotonic()

    def _refresh(self) -> None:
        """See at once what this process has changed."""
        with self._lock:
            self._ask()

    def _ask(self) -> None:
        try:
            revision = self._store.revision()
            if revision != self._known.revision:
                self._known = Snapshot(self._store, self._encoder, revision)
        except StoreAwayError as error:
            self._note(error)
            raise
        if self._away:
            logger.info("the store's engine is back")
        self._asked, self._away = time.monotonic(), None
