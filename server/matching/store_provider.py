"""Provides the matcher over a store."""

import logging
import threading
from typing import TYPE_CHECKING, Final

from embeddings.ranking.decision import DEFAULT_COSTS, Costs
from server.matching.encoders import EncoderLoader, load_encoder

# The numeric packages are imported on first use, so that a server can list its tools before they are loaded.
if TYPE_CHECKING:
    from embeddings.store_matcher import StoreMatcher

logger = logging.getLogger(__name__)

LOADER: Final = "store-loader"
"""Name of the thread that opens the store."""


class StoreProvider:
    """Hands out the matcher over one store; safe to share between threads. It sees changes of the store itself."""

    def __init__(self, uri: str, loader: EncoderLoader = load_encoder, costs: Costs = DEFAULT_COSTS) -> None:
        """Provide the matcher over the store at a URI, which is opened when it is first needed.

        Args:
            uri: see `embeddings.index.stores.uri.open_store`.
            loader: loads the encoder.
            costs: what mistakes cost the caller.
        """
        self.uri, self.costs = uri, costs
        self._loader = loader
        self._opening = threading.Lock()
        self._matcher: StoreMatcher | None = None
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

    def load(self) -> "StoreMatcher":
        """Open the store now.

        Raises:
            StoreError: it cannot be used.
            ModelError: the model cannot be used.
        """
        with self._opening:
            if self._matcher is None:
                from embeddings.store_matcher import StoreMatcher

                matcher = StoreMatcher.open(self.uri, self._loader(1), costs=self.costs)
                matcher.try_out()
                self._matcher = matcher
        return self._matcher

    def get(self) -> "StoreMatcher":
        """The matcher; waits until the store is open. Raises what `load` raises."""
        return self._matcher or self.load()

    @property
    def ready(self) -> bool:
        """Whether `get` returns at once."""
        return self._matcher is not None

    @property
    def fingerprint(self) -> str:
        """Identifies what all labels say."""
        return self.get().catalog_fingerprint

    def _try(self) -> None:
        try:
            self.load()
        except Exception as error:
            logger.warning("the store cannot be used, and is tried again when it is needed: %s", error)
