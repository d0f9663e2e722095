"""Provides the matcher over a store, or of a vector file that is named in the place of one."""

import logging
import threading
from typing import TYPE_CHECKING, Final

from embeddings.errors import StoreAwayError, StoreError
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.decision import DEFAULT_COSTS, Costs
from server.matching.encoders import EncoderLoader, load_encoder

# The numeric packages are imported on first use, so that a server can list its tools before they are loaded.
if TYPE_CHECKING:
    from embeddings.matcher import Matcher
    from embeddings.store_matcher import StoreMatcher

logger = logging.getLogger(__name__)

LOADER: Final = "store-loader"
"""Name of the thread that opens the store."""


def trouble_of(error: StoreError) -> str:
    """Return the state that health checks report for a store that cannot be used."""
    return "away" if isinstance(error, StoreAwayError) else "unusable"


class StoreProvider:
    """Hands out the matcher over one store; safe to share between threads. It sees changes of the store itself."""

    def __init__(self, uri: str, loader: EncoderLoader = load_encoder, costs: Costs = DEFAULT_COSTS) -> None:
        """Provide the matcher over the store at a URI, which is opened when it is first needed.

        Args:
            uri: see `embeddings.engines.uri.open_store`.
            loader: loads the encoder.
            costs: what mistakes cost the caller.
        """
        self.uri, self.costs = uri, costs
        self._loader = loader
        self._opening = threading.Lock()
        self._matcher: Matcher | StoreMatcher | None = None
        self._failure: StoreError | None = None
        self._starting: threading.Timer | None = None

    def start(self, delay: float = 0.0) -> None:
        """Open the store in the background; if it is away, again at the next call.

        Args:
            delay: seconds to wait first.
        """
        if self.ready or (self._starting and self._starting.is_alive()):
            return
        self._starting = threading.Timer(delay, self._try)
        self._starting.name, self._starting.daemon = LOADER, True
        self._starting.start()

    def load(self) -> "Matcher | StoreMatcher":
        """Open the store now.

        Raises:
            StoreError: it cannot be used.
            ModelError: the model cannot be used.
        """
        with self._opening:
            if self._matcher is None:
                try:
                    self._matcher = self._opened()
                except StoreError as error:
                    self._failure = error
                    raise
        return self._matcher

    def _opened(self) -> "Matcher | StoreMatcher":
        from embeddings.matcher import Matcher

        matcher = Matcher.open(self.uri, self._loader(1), costs=self.costs)
        matcher.try_out()
        return matcher

    def get(self) -> "Matcher | StoreMatcher":
        """Return the matcher; waits until the store is open. Raises what `load` raises."""
        return self._matcher or self.load()

    @property
    def book(self) -> PhraseBook | None:
        """None: the labels are in the store."""
        return None

    @property
    def ready(self) -> bool:
        """Whether `get` returns at once."""
        return self._matcher is not None

    @property
    def trouble(self) -> str | None:
        """Trouble with the store: "away", or "unusable"; None if there is none. May ask the store."""
        if self._matcher is None:
            return trouble_of(self._failure) if self._failure else None
        try:
            return "away" if self._matcher.is_degraded else None
        except StoreError as error:
            return trouble_of(error)

    @property
    def fingerprint(self) -> str:
        """Identifies what all labels say."""
        return self.get().catalog_fingerprint

    def _try(self) -> None:
        try:
            self.load()
        except Exception as error:
            logger.warning("the store cannot be used, and is tried again when it is needed: %s", error)
