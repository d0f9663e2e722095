"""Provides a catalog's matcher from the best source: shipped vectors, cached ones, a new build, or no vectors."""

import ctypes
import logging
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from embeddings.errors import ModelError, VectorFileError
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.decision import DEFAULT_COSTS, Costs
from server.matching import vector_cache
from server.matching.encoders import EncoderLoader, load_encoder
from server.stopping import interrupt_behind

# The numeric packages are imported on first use, so that a server can list its tools before they are loaded.
if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder
    from embeddings.matcher import Matcher

logger = logging.getLogger(__name__)

LOADER: Final = "matcher-loader"
"""Name of the thread that loads."""

VECTORS_FILE: Final = "capability-vectors.npz"


MAX_NEW_SHARE: Final = 0.5
"""Share of new texts up to which the matcher of a catalog before is updated; with more, all is fitted anew."""


class Companion(Protocol):
    """Data kept along with a matcher, such as the vectors of statements."""

    def load(self, encoder: "TextEncoder") -> bool:
        """Load what is stored, in well under a second. Returns whether nothing is left to build."""

    def build(self, encoder: "TextEncoder") -> None:
        """Build it; takes seconds."""


class MatcherProvider:
    """Hands out the matcher of one catalog; safe to share between threads."""

    def __init__(
        self,
        book: PhraseBook,
        vectors: Sequence[Path],
        loader: EncoderLoader = load_encoder,
        costs: Costs = DEFAULT_COSTS,
        companions: Sequence[Companion] = (),
    ) -> None:
        """Provide the matcher of `book`, whose vectors may be stored in one of the files `vectors`.

        Args:
            book: the catalog.
            vectors: files that may hold its vectors, the likeliest first.
            loader: loads the encoder.
            costs: what mistakes cost the caller.
            companions: what is loaded with the matcher, and built after it; not in degraded mode.
        """
        self.book = book
        self._vectors = vectors
        self._loader = loader
        self.costs = costs
        self._companions = companions
        self._matcher: Matcher | None = None
        self._ready = threading.Event()
        self._starting = threading.Lock()
        self._started = False
        self._last: MatcherProvider | None = None
        self._is_update = False
        """Whether a matcher was cached that `Matcher.update` had made."""

    def take_from(self, old: "MatcherProvider") -> None:
        """Embed only texts that the matcher of the catalog before this one lacks; call it before anything is loaded."""
        self._last = old

    def start(self, delay: float = 0.0) -> None:
        """Load in the background, once. While a catalog without vectors is embedded, `get` returns a degraded matcher.

        Args:
            delay: seconds to wait first, so that loading does not slow down requests in progress.
        """
        if self._claim():
            loader = threading.Timer(delay, self._provide, args=(True,))
            loader.name, loader.daemon = LOADER, True
            loader.start()

    def load(self) -> "Matcher":
        """Load now. A catalog without stored vectors is embedded first, which takes seconds."""
        if self._claim():
            self._provide(False)
        return self.get()

    def get(self) -> "Matcher":
        """Return the best matcher so far; waits only if there is none yet."""
        self.start()
        self._ready.wait()
        if self._matcher is None:
            raise RuntimeError("the matcher could not be built; the log says why; fix the catalog and start again")
        return self._matcher

    @property
    def fingerprint(self) -> str:
        """Hash of every text that phrases are matched against; the vectors are stored under it."""
        return self.book.fingerprint

    @property
    def trouble(self) -> str | None:
        """None: there is no store that could be away."""
        return None

    @property
    def ready(self) -> bool:
        """Whether `get` returns at once."""
        return self._ready.is_set()

    def _claim(self) -> bool:
        """Return whether this is the first call, which does the loading."""
        with self._starting:
            claimed, self._started = not self._started, True
        return claimed

    def offer(self, matcher: "Matcher") -> None:
        """Hand out a matcher from now on, and load none any more."""
        self._started = True
        self._matcher = matcher
        self._ready.set()

    def _provide(self, degraded_meanwhile: bool) -> None:
        try:
            self._provide_best(degraded_meanwhile)
        except Exception as error:
            if interrupt_behind(error):
                raise KeyboardInterrupt from error
            logger.exception("the matcher could not be loaded; answers are degraded")
            self._offer_degraded()
        finally:
            self._ready.set()
            release_freed_memory()

    def _provide_best(self, degraded_meanwhile: bool) -> None:
        try:
            encoder = self._loader(1)
        except ModelError as error:
            logger.warning("answers are degraded, phrases are compared by letters only: %s", error)
            self._offer_degraded()
            return
        ready = self.find(encoder)
        incomplete = [each for each in self._companions if not each.load(encoder)]
        if ready is not None:
            self.offer(ready)
            if degraded_meanwhile and self._is_update:
                logger.info("the catalog was changed while it was served; it is fitted anew in the background")
                self.offer(self.build(encoder))
        else:
            if degraded_meanwhile:
                logger.warning(
                    "embedding the catalog's %d labels; answers are degraded meanwhile", len(self.book.labels)
                )
                self._offer_degraded()
            self.offer(self.build(encoder))
        for companion in incomplete:
            companion.build(encoder)

    def _offer_degraded(self) -> None:
        from embeddings.matcher import Matcher

        self.offer(Matcher.degraded(self.book, costs=self.costs))

    def find(self, encoder: "TextEncoder") -> "Matcher | None":
        """Return the matcher of stored or cached vectors; None if there are none that can be used."""
        return self._stored(encoder) or self._cached(encoder)

    def _stored(self, encoder: "TextEncoder") -> "Matcher | None":
        """Return the matcher of stored vectors; loading tries it out on a phrase."""
        from embeddings.matcher import Matcher

        for path in self._vectors:
            try:
                return Matcher.load(path, encoder, self.book, costs=self.costs)
            except VectorFileError as error:
                # It is normal that the shipped vectors do not fit another catalog.
                _tell_unused(error, expected=path in self._vectors[1:])
        return None

    def _cached(self, encoder: "TextEncoder") -> "Matcher | None":
        """Return the matcher of cached vectors, or None."""
        try:
            found = vector_cache.find(self.book, encoder, self.costs)
        except VectorFileError as error:
            _tell_unused(error, expected=False)
            return None
        self._is_update = found.is_approximate
        return found

    def build(self, encoder: "TextEncoder") -> "Matcher":
        """Embed the catalog with all cores, or what is new of it, and keep the result if the cache can be written."""
        from embeddings.matcher import Matcher

        embedder = self._loader(os.cpu_count() or 1)
        last, self._last = self._much_the_same(), None
        if last:
            matcher = last.update(self.book, embedder=embedder)
        else:
            matcher = Matcher.build(self.book, encoder, embedder=embedder, costs=self.costs)
        matcher.try_out()
        vector_cache.keep(matcher, self.book, encoder)
        return matcher

    def _much_the_same(self) -> "Matcher | None":
        """Return the matcher of the catalog before this one, if it has vectors of most of the texts."""
        last = self._last.get() if self._last and self._last.ready else None
        if last is None or last.is_degraded:
            return None
        known = {phrase.text for phrase in last.book.phrases()}
        texts = {phrase.text for phrase in self.book.phrases()}
        return last if len(texts - known) <= MAX_NEW_SHARE * len(texts) else None


def _tell_unused(error: VectorFileError, *, expected: bool) -> None:
    """Log why vectors were not used; as a warning, unless it was expected or the file does not exist."""
    news = not expected and not isinstance(error.__cause__, FileNotFoundError)
    logger.log(logging.WARNING if news else logging.DEBUG, "vectors not used: %s", error)


def release_freed_memory() -> None:
    """Return freed memory to the system if the C library can (glibc); otherwise do nothing.

    Loading a model and a vector file leaves some 25 MB of freed memory that glibc keeps for later.
    """
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, TypeError, AttributeError):  # Windows has no such handle, other C libraries no such function.
        return
