"""What a build writes to a store: each label under its key with its phrases, in batches that are always the same."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from embeddings.index.stores.keyed_label import KeyedLabel
from embeddings.index.stores.manifest import FORMAT, combined
from embeddings.labels.phrase_book import PhraseBook

_Item = TypeVar("_Item")

BATCH: Final = 512
"""Phrases of a batch, and those of the last label in it. What a kill costs is one batch."""

MOST_FITTED: Final = 20_000
"""Phrases that whitening, weights and the ranking head are fitted to, so that a build of any size takes a minute for
them: a kill costs this part again. The shipped catalog has 18,647 with its background."""

LEAST_LABELS: Final = 500
"""Labels that are fitted to at least, with fewer phrases of each."""


def batches(labels: Sequence[KeyedLabel]) -> Iterator[list[KeyedLabel]]:
    """Cut labels into batches, which depend on nothing but the labels."""
    batch: list[KeyedLabel] = []
    filled = 0
    for label in labels:
        batch.append(label)
        filled += len(label.phrases)
        if filled >= BATCH:
            yield batch
            batch, filled = [], 0
    if batch:
        yield batch


def catalog_fingerprint(book: PhraseBook, labels: Sequence[KeyedLabel]) -> str:
    """See `Manifest.catalog`."""
    outside = json.dumps([book.out_of_scope, book.out_of_scope_share]).encode()
    return combined("", [*(label.fingerprint for label in labels), hashlib.sha256(outside).hexdigest()])


def version_of(book: PhraseBook, catalog: str, model: str) -> str:
    """Identifies what a build makes: the same catalog, in the same order, with the same model."""
    return hashlib.sha256(f"{FORMAT} {catalog} {book.fingerprint} {model}".encode()).hexdigest()[:16]


def fitted_part(book: PhraseBook, phrases: int) -> PhraseBook:
    """The labels that are fitted to, evenly spread, with as many of their phrasings as can be; all of a small catalog.

    Args:
        book: the catalog.
        phrases: how many it has.
    """
    count = len(book.labels)
    if phrases <= MOST_FITTED:
        return book
    kept = min(count, max(LEAST_LABELS, MOST_FITTED * count // phrases))
    labels = _spread(book.labels, kept)
    most = max(1, MOST_FITTED // kept)
    return replace(
        book, labels=tuple(replace(label, phrasings=_spread(label.phrasings, most)) for label in labels), reports=()
    )


def _spread(items: Sequence[_Item], most: int) -> tuple[_Item, ...]:
    """At most so many, evenly spaced."""
    if len(items) <= most:
        return tuple(items)
    return tuple(items[place * len(items) // most] for place in range(most))
