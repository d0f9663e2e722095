"""Updates a fitted index to a changed catalog: embeds only new texts.

The whitening and the vectors of texts that stay are kept. A small catalog is fitted to them afresh; for a large one the
weights are kept, too, and the ranking head is corrected where phrases changed.
"""

from collections import defaultdict
from dataclasses import replace
from typing import Final

import numpy as np

from embeddings.arrays import IntArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.errors import ModelError
from embeddings.index.fitted_index import FittedIndex
from embeddings.index.quantization import Blocks, quantize
from embeddings.labels.corpus import Corpus
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.whitening import whiten
from embeddings.text.normalization import fold
from embeddings.training.build import Progress, embed, fit_index, has_examples
from embeddings.training.head import update as head_update
from embeddings.training.head.update import Change

MOST_REFITTED: Final = 2000
"""Phrases of a catalog up to which it is fitted afresh. On CLINC150 with 10 phrases an intent, of which there were none
before, first place is then 0.922 (0.919 after a build) and the expected calibration error 0.025 (0.034); with the old
weights 0.917 and 0.079. On two shared cores it takes 2 seconds with 1,500 phrases and 3 to 9 with 2,000 to 3,000."""

MOST_CHANGED: Final = head_update.MOST_SOLVED // 2
"""Added and removed phrases up to which a larger catalog is corrected instead."""


def update_index(
    fitted: FittedIndex, book: PhraseBook, encoder: TextEncoder, progress: Progress | None = None
) -> FittedIndex:
    """Update an index to a changed phrase book.

    Args:
        fitted: the index of the old book.
        book: the new book.
        encoder: the model that made the index's vectors; embeds the texts that the old book lacks.
        progress: called with the number of new texts embedded so far and the number of all new texts.

    Returns:
        A new index, marked as approximate unless all texts and their labels are as they were.

    Raises:
        ModelError: the encoder is another model than the one that made the vectors.
    """
    if encoder.fingerprint != fitted.model:
        raise ModelError(
            f"the embedder is model {encoder.fingerprint!r}, the vectors are of {fitted.model!r}; vectors of two "
            "models cannot be compared; pass the same model, or build the catalog anew"
        )
    # The background phrases stay until the next build.
    old, corpus = fitted.corpus, Corpus.build(book, fitted.corpus.background)
    same_share = old.book.out_of_scope_share == book.out_of_scope_share
    if corpus.phrases == old.phrases and same_share:
        return replace(fitted, corpus=corpus)
    blocks = _blocks(fitted, corpus.texts, encoder, progress)
    change = _change(fitted, corpus)
    changes = int((change.before < 0).sum()) + len(change.gone)
    # Weights fitted without out-of-scope phrases do not suit a catalog with them. When CLINC150 (10 phrases an intent)
    # got its first 100, 0.213 of the queries in scope were `no_match` with the old weights, 0.012 with new ones.
    # Without phrasings there is no head to correct.
    other = bool(old.book.out_of_scope) != bool(book.out_of_scope) or not (
        has_examples(old.book) and has_examples(book)
    )
    if other or not same_share or changes > MOST_CHANGED or len(corpus.phrases) <= MOST_REFITTED:
        return replace(fit_index(corpus, fitted.whitening, blocks, fitted.model), approximate=True)
    head = head_update.update(fitted.head, blocks.restore(), corpus.owners, change)
    return replace(fitted, corpus=corpus, blocks=blocks, head=head, approximate=True)


def _blocks(fitted: FittedIndex, texts: list[str], encoder: TextEncoder, progress: Progress | None) -> Blocks:
    """The vectors of the texts: those that the index has, and new ones."""
    known = {text: row for row, text in enumerate(fitted.corpus.texts)}
    new = [text for text in dict.fromkeys(texts) if text not in known]
    known |= {text: len(fitted.corpus.texts) + place for place, text in enumerate(new)}
    held = fitted.blocks
    if new:
        added = quantize(whiten(embed(new, encoder, progress), fitted.whitening), held.block_size)
        held = Blocks.joined([held, added])
    return held.rows(np.array([known[text] for text in texts], dtype=np.int64))


def _change(fitted: FittedIndex, new: Corpus) -> Change:
    old = fitted.corpus
    columns = _columns(old.book, new.book)
    before = _rows_before(old, new, columns)
    gone = np.setdiff1d(np.arange(len(old.phrases)), before)
    return Change(before, columns, fitted.blocks.rows(gone).restore())


def _columns(old: PhraseBook, new: PhraseBook) -> IntArray:
    """The old position of each label, known by its id or name, and of "none", which is last; -1 for a new label."""
    places = {_identity(label): place for place, label in enumerate(old.labels)}
    found = [places.get(_identity(label), -1) for label in new.labels]
    return np.array([*found, len(old.labels)], dtype=np.int64)


def _identity(label: Label) -> tuple[str, str]:
    # Labels that have ids may share a name.
    return (label.id, "") if label.id else ("", fold(label.name))


def _rows_before(old: Corpus, new: Corpus, columns: IntArray) -> IntArray:
    """The old row of each phrase that stayed under its label, each row at most once; -1 for the others."""
    rows: dict[tuple[str, int], list[int]] = defaultdict(list)
    for row in reversed(range(len(old.phrases))):
        rows[old.phrases[row].text, old.phrases[row].label].append(row)
    found = [rows[phrase.text, int(columns[phrase.label])] for phrase in new.phrases]
    return np.array([waiting.pop() if waiting else -1 for waiting in found], dtype=np.int64)
