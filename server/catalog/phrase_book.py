"""The catalog as the matcher sees it."""

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from server.catalog.catalog import Catalog


def phrase_book(catalog: Catalog) -> PhraseBook:
    """Names, aliases, definitions and phrasings of every canonical capability."""
    aliases: dict[str, list[str]] = {capability.name: [] for capability in catalog.capabilities}
    for alias, names in catalog.aliases.items():
        for name in names:
            aliases[name].append(alias)
    labels = tuple(
        Label(
            name=capability.name,
            aliases=tuple(aliases[capability.name]),
            description=capability.definition,
            phrasings=catalog.phrasings.get(capability.name, ()),
        )
        for capability in catalog.capabilities
    )
    return PhraseBook(labels, catalog.out_of_scope)
