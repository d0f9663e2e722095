"""The catalog that `build-vectors --store` writes."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from embeddings.labels.phrase_book import PhraseBook
from server.cli.progress import staged_progress
from server.matching.cache_folder import cache_folder

# Imported where they are used otherwise, because every start of the command, a server's included, imports this module.
if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder
    from embeddings.index.stores.store import Store

logger = logging.getLogger(__name__)

FOLDER: Final = "builds"
"""Within the cache folder, the vectors of builds under way that their stores do not have yet."""


@dataclass(frozen=True)
class StoreJob:
    """A catalog for a store.

    Attributes:
        store: where to write.
        book: the catalog.
    """

    store: "Store"
    book: PhraseBook

    def build(self, encoder: "TextEncoder") -> None:
        """Write the catalog, publish it, and say what is there.

        Raises:
            StoreError: the store cannot be written.
            WorkerError: other processes embed, and one of them failed.
        """
        from embeddings.training.stored.build import build_store

        try:
            with staged_progress("texts") as show:
                built = build_store(self.book, encoder, self.store, lambda report: show(*report), _folder())
        finally:
            self.store.close()
        print(
            f"published: {built.labels:,} labels with {built.phrases:,} phrases; {built.embedded:,} texts were embedded"
        )


def _folder() -> Path | None:
    try:
        return cache_folder() / FOLDER
    except OSError as error:
        logger.warning("%s; if this build is killed, a part of its texts is embedded again", error)
        return None
