"""The catalog that `build-vectors --store` writes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from embeddings.labels.phrase_book import PhraseBook
from server.cli.progress import embedding_progress

# Imported where they are used otherwise, because every start of the command, a server's included, imports this module.
if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder
    from embeddings.index.stores.store import Store


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
        """
        from embeddings.training.stored.build import build_store

        try:
            with embedding_progress() as progress:
                built = build_store(self.book, encoder, self.store, progress)
        finally:
            self.store.close()
        print(
            f"published: {built.labels:,} labels with {built.phrases:,} phrases; {built.embedded:,} texts were embedded"
        )
