"""Some labels of a stored catalog, arranged so that they are ranked as if all of it were there."""

from collections.abc import Sequence

import numpy as np

from embeddings.index.fitted_index import FittedIndex
from embeddings.index.kernel_ridge import KernelRidge
from embeddings.index.quantization import Blocks
from embeddings.index.stores.excerpt_terms import NgramExcerpt, WordExcerpt
from embeddings.index.stores.manifest import Manifest
from embeddings.index.stores.record import StoredLabel
from embeddings.labels.corpus import Corpus, Whole, name_index
from embeddings.labels.label import Phrase
from embeddings.labels.phrase_book import PhraseBook
from embeddings.labels.spans import Spans
from embeddings.text.normalization import fold


def whole_of(manifest: Manifest) -> Whole:
    """What excerpts of a catalog must know of it."""
    return Whole(manifest.statistics.labels, frozenset(map(fold, own_outside(manifest))), manifest.english)


def own_outside(manifest: Manifest) -> tuple[str, ...]:
    """The catalog's own out-of-scope phrases, without the background."""
    phrases = manifest.outside.phrases if manifest.outside else ()
    return tuple(text for text, kind in phrases if kind != "background")


def excerpt(records: Sequence[StoredLabel], manifest: Manifest, whole: Whole) -> FittedIndex:
    """Arrange labels, at least one. The ranking head is left out: it is fitted to phrases that are not here.

    Args:
        records: the labels.
        manifest: of the catalog.
        whole: what `whole_of` says of it.
    """
    none = len(records)
    parts = [*records, *([manifest.outside] if manifest.outside else [])]
    sizes = [len(part.phrases) for part in parts]
    statistics = manifest.statistics
    book = PhraseBook.of_checked(tuple(record.label for record in records), own_outside(manifest))
    corpus = Corpus(
        book=book,
        phrases=tuple(Phrase(text, kind, label) for label, part in enumerate(parts) for text, kind in part.phrases),
        spans=Spans.of(np.repeat(np.arange(len(parts)), sizes), none),
        lexical=NgramExcerpt.of([part.grams for part in parts], sizes, statistics.grams),
        words=WordExcerpt.of([record.stems for record in records], statistics.stems, statistics.length),
        names=name_index(book),
        whole=whole,
    )
    return FittedIndex(
        corpus=corpus,
        whitening=manifest.whitening,
        blocks=Blocks.joined([part.blocks for part in parts]),
        head=KernelRidge(np.zeros(1, dtype=np.int64), np.zeros((1, none + 1), dtype=np.float32)),
        weights=manifest.weights,
        lexical_weights=np.zeros_like(manifest.weights),
        model=manifest.model,
        approximate=manifest.approximate,
    )
