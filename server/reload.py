"""Reading a changed catalog while the server runs: validated and understood first, then put in place."""

import logging
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from embeddings.errors import EmbeddingsError
from server.catalog.loading import ALIASES_FILE, CAPABILITIES_FILE, PHRASINGS_FILE
from server.errors import CatalogError
from server.file_stamps import Stamp, file_stamp
from server.live_service import LiveService
from server.matcher_provider import VECTORS_FILE
from server.paths import agents_folder
from server.service import Service, open_service

logger = logging.getLogger(__name__)

FILES: Final = (CAPABILITIES_FILE, ALIASES_FILE, PHRASINGS_FILE, VECTORS_FILE)
"""Of a data folder, beside the agents' files."""

Stamps = Mapping[Path, Stamp]
"""Of each file that is there."""


class Reloader:
    """Reloads the data folder of a live service. Safe to share between threads; one reload at a time."""

    def __init__(self, live: LiveService, folder: Path) -> None:
        """Reload `folder`, whose files as they are now are those that `live` serves."""
        self._live = live
        self._folder = folder
        self._lock = threading.Lock()
        self._seen = self._stamps()

    @property
    def changed(self) -> bool:
        """Whether a file was written, replaced, added or removed since the last reload, or attempt at one."""
        return self._stamps() != self._seen

    def reload(self) -> bool:
        """Serve what the folder now holds. Whatever is wrong with it is logged, and the old catalog stays.

        Takes seconds to a minute where the catalog must be embedded anew; the old one answers until then.

        Returns:
            Whether the new catalog is served.
        """
        with self._lock:
            # Taken first: a file that changes while it is read is read again.
            try:
                self._seen = self._stamps()
                fresh = self._opened()
            except (CatalogError, EmbeddingsError, OSError) as error:
                logger.error("the catalog stays as it was: %s", error)
                return False
            except Exception:
                logger.exception("the catalog stays as it was")
                return False
            self._live.current = fresh
            logger.info("the catalog was read again from %s", self._folder)
            return True

    def _opened(self) -> Service:
        old = self._live.current
        fresh = open_service(self._folder, old.loader, old.most_phrase)
        if fresh.matchers.load().is_degraded and not old.matchers.get().is_degraded:
            raise CatalogError(
                f"the vectors of {str(self._folder)!r} could not be built; a catalog that was understood by meaning is "
                "not replaced by one that is not; the log says why"
            )
        return fresh

    def _stamps(self) -> Stamps:
        try:
            paths = [*agents_folder(self._folder).glob("*/capabilities/current.json")]
        except OSError:
            return {}
        paths += [self._folder / name for name in FILES]
        return {path: stamp for path in paths if (stamp := file_stamp(path))}
