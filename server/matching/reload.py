"""Reloads a changed catalog while the server runs: it is checked and its matcher loaded before it is served."""

import logging
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from embeddings.errors import EmbeddingsError
from server.catalog.folders import agents_folder
from server.catalog.loading import ALIASES_FILE, CAPABILITIES_FILE, PHRASINGS_FILE
from server.errors import CatalogError
from server.files import Stamp, file_stamp
from server.matching.matcher_provider import VECTORS_FILE
from server.matching.service import LiveService, Service, open_service

logger = logging.getLogger(__name__)

FILES: Final = (CAPABILITIES_FILE, ALIASES_FILE, PHRASINGS_FILE, VECTORS_FILE)
"""Files of a data folder that are watched, besides the agents' files."""

Stamps = Mapping[Path, Stamp]
"""The stamp of each file that exists."""


class Reloader:
    """Reloads the data folder of a live service. Safe to share between threads; one reload at a time."""

    def __init__(self, live: LiveService, folder: Path) -> None:
        """Reload `folder`, from whose current files `live` was loaded."""
        self._live = live
        self._folder = folder
        self._lock = threading.Lock()
        self._seen = self._stamps()

    @property
    def changed(self) -> bool:
        """Whether a file was written, replaced, added or removed since the last reload or attempt to reload."""
        return self._stamps() != self._seen

    def reload(self) -> bool:
        """Serve the current files of the folder. If they cannot be used, log why, and keep the old catalog.

        This takes seconds to a minute if the catalog must be embedded again; the old one answers until then.

        Returns:
            Whether the new catalog is served.
        """
        with self._lock:
            # Stamps are taken first, so that a file that changes while it is read is read again.
            try:
                self._seen = self._stamps()
                fresh = self._opened()
            except (CatalogError, EmbeddingsError, OSError) as error:
                logger.error("the catalog was not reloaded: %s", error)
                return False
            except Exception:
                logger.exception("the catalog was not reloaded")
                return False
            self._live.current = fresh
            logger.info("the catalog was reloaded from %s", self._folder)
            return True

    def _opened(self) -> Service:
        old = self._live.current
        fresh = open_service(self._folder, old.loader, old.max_phrase, old.matchers.costs)
        matcher = fresh.matchers.load()
        matcher.try_out()
        if matcher.is_degraded and not old.matchers.get().is_degraded:
            raise CatalogError(
                f"the vectors of {str(self._folder)!r} could not be built; a catalog that matches by meaning is not "
                "replaced by one that cannot; the log says why"
            )
        return fresh

    def _stamps(self) -> Stamps:
        try:
            paths = [*agents_folder(self._folder).glob("*/capabilities/current.json")]
        except OSError:
            return {}
        paths += [self._folder / name for name in FILES]
        return {path: stamp for path in paths if (stamp := file_stamp(path))}
