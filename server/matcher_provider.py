"""The matcher of a catalog, from the best source there is: shipped vectors, cached ones, a build, or none at all."""

import logging
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from embeddings.errors import ModelError, VectorFileError
from embeddings.phrase_book import PhraseBook
from server.memory import release_freed_memory
from server.paths import cache_folder

# The numeric packages are imported where they are first used, so that a server lists its tools before they are loaded.
if TYPE_CHECKING:
    from embeddings.encoder import TextEncoder
    from embeddings.matcher import Matcher

logger = logging.getLogger(__name__)

LOADER: Final = "matcher-loader"
"""Name of the thread that loads."""

VECTORS_FILE: Final = "capability-vectors.npz"

EncoderLoader = Callable[[int], "TextEncoder"]
"""Loads the encoder with a number of threads."""


def load_encoder(threads: int) -> "TextEncoder":
    """The shipped encoder; with one thread it is for queries one by one, each shared between two cores."""
    from embeddings.encoder import Encoder

    return Encoder.load(threads=threads, split=min(2, os.cpu_count() or 1) if threads == 1 else 1)


def load_encoder_for_many(threads: int) -> "TextEncoder":
    """The shipped encoder for the queries of many clients: as many at once as there are cores, so none is shared."""
    from embeddings.encoder import Encoder

    return Encoder.load(threads=threads)


class SharedEncoder:
    """A loader that loads the encoder for queries once, for all who match with it; one for a build is its own."""

    def __init__(self, loader: EncoderLoader) -> None:
        """Share what `loader` loads."""
        self._loader = loader
        self._lock = threading.Lock()
        self._kept: TextEncoder | None = None

    def __call__(self, threads: int) -> "TextEncoder":
        """The encoder for a number of threads."""
        if threads != 1:
            return self._loader(threads)
        with self._lock:
            if self._kept is None:
                self._kept = self._loader(threads)
            return self._kept


class MatcherProvider:
    """Hands out the matcher of one catalog; safe to share between threads."""

    def __init__(self, book: PhraseBook, vectors: Sequence[Path], loader: EncoderLoader = load_encoder) -> None:
        """Provide for a book whose ready vectors may be in one of the files `vectors`."""
        self._book = book
        self._vectors = vectors
        self._loader = loader
        self._matcher: Matcher | None = None
        self._ready = threading.Event()
        self._starting = threading.Lock()
        self._started = False

    def start(self, delay: float = 0.0) -> None:
        """Load in the background, once; until vectors are there, `get` hands out a degraded matcher.

        Args:
            delay: seconds to let pass first, so that loading does not slow down what is under way.
        """
        if self._claim():
            loader = threading.Timer(delay, self._provide, args=(True,))
            loader.name, loader.daemon = LOADER, True
            loader.start()

    def load(self) -> "Matcher":
        """Load now, embedding the catalog first if it must be; seconds for a catalog without ready vectors."""
        if self._claim():
            self._provide(False)
        return self.get()

    def get(self) -> "Matcher":
        """The best matcher so far; waits only until there is one at all."""
        self.start()
        self._ready.wait()
        if self._matcher is None:
            raise RuntimeError("the matcher could not be made; the log says why; mend the catalog and start again")
        return self._matcher

    @property
    def fingerprint(self) -> str:
        """Of every text that is matched against; what the vectors are filed under."""
        return self._book.fingerprint

    @property
    def ready(self) -> bool:
        """Whether `get` returns at once."""
        return self._ready.is_set()

    def _claim(self) -> bool:
        """Whether the caller is the one to load."""
        with self._starting:
            claimed, self._started = not self._started, True
        return claimed

    def _offer(self, matcher: "Matcher") -> None:
        self._matcher = matcher
        self._ready.set()

    def _provide(self, degraded_meanwhile: bool) -> None:
        try:
            self._provide_best(degraded_meanwhile)
        except Exception:
            logger.exception("the matcher could not be loaded; answers are degraded")
            self._offer_degraded()
        finally:
            self._ready.set()
            release_freed_memory()

    def _provide_best(self, degraded_meanwhile: bool) -> None:
        try:
            encoder = self._loader(1)
        except ModelError as error:
            logger.warning("answers are degraded, without meaning: %s", error)
            self._offer_degraded()
            return
        ready = self._stored(encoder)
        if ready is not None:
            self._offer(ready)
            return
        if degraded_meanwhile:
            logger.warning("embedding the catalog's %d labels; until then answers are degraded", len(self._book.labels))
            self._offer_degraded()
        self._offer(self._built(encoder))

    def _offer_degraded(self) -> None:
        from embeddings.matcher import Matcher

        self._offer(Matcher.degraded(self._book))

    def _stored(self, encoder: "TextEncoder") -> "Matcher | None":
        """The matcher of the ready vectors, or of cached ones."""
        from embeddings.matcher import Matcher

        for path in (*self._vectors, self._cached(encoder)):
            try:
                return Matcher.load(path, encoder, self._book)
            except VectorFileError as error:
                # That the shipped vectors do not fit another catalog is no news.
                expected = path in self._vectors[1:] or not path.exists()
                logger.log(logging.DEBUG if expected else logging.WARNING, "vectors not used: %s", error)
        return None

    def _cached(self, encoder: "TextEncoder") -> Path:
        return cache_folder() / f"{self._book.fingerprint[:32]}-{encoder.fingerprint}.npz"

    def _built(self, encoder: "TextEncoder") -> "Matcher":
        """Embed the catalog with all cores, and keep the result if the cache can be written."""
        from embeddings.matcher import Matcher

        matcher = Matcher.build(self._book, self._loader(os.cpu_count() or 1))
        path = self._cached(encoder)
        try:
            matcher.save(path)
        except OSError as error:
            logger.warning("vectors could not be cached at %s (%s); they are built again next time", path, error)
            return matcher
        return Matcher.load(path, encoder, self._book)
