"""What in a vector file is no longer so."""

from collections import Counter
from pathlib import Path
from typing import Final

import numpy as np

from embeddings import vector_file
from embeddings.encoder import TextEncoder
from embeddings.fitted_index import Progress, embed
from embeddings.phrase_book import PhraseBook
from embeddings.phrase_index import PhraseIndex
from embeddings.whitening import whiten

VECTOR_TOLERANCE: Final = 0.1
"""Largest distance of two unit vectors, a cosine of 0.995. Eight bits and another processor's rounding move one by less
than 0.03 (x86-64 with and without VNNI), another model by far more."""

_SHOWN: Final = 5


def differences(path: Path, book: PhraseBook, encoder: TextEncoder, progress: Progress | None = None) -> list[str]:
    """Compare a vector file with the catalog and the encoder it should be of.

    Returns:
        A line for each kind of difference; none when the file is up to date.

    Raises:
        VectorFileError: the file is missing, damaged, of another format, or made with another model.
    """
    stored = vector_file.read(path, encoder.fingerprint)
    if stored.index.book.fingerprint != book.fingerprint:
        return _texts(stored.index.book, book)
    fresh = whiten(embed(stored.index.texts, encoder, progress), stored.whitening)
    moved = np.linalg.norm(fresh - stored.vectors, axis=1)
    row = int(moved.argmax())
    if moved[row] > VECTOR_TOLERANCE:
        text = stored.index.texts[row]
        return [f"vector of {text!r} is off by {moved[row]:.4f}; the tolerance is {VECTOR_TOLERANCE}; rebuild"]
    return []


def _texts(stored: PhraseBook, current: PhraseBook) -> list[str]:
    """The texts that came and went; a change of order alone is one too."""
    before, after = _counted(stored), _counted(current)
    lines = []
    for word, found in (("added", after - before), ("removed", before - after)):
        if found:
            shown = ", ".join(repr(text) for text in list(found)[:_SHOWN])
            more = ", ..." if len(found) > _SHOWN else ""
            lines.append(f"{found.total()} texts {word} since the build: {shown}{more}; rebuild")
    return lines or ["the texts are in another order or under another label than at the build; rebuild"]


def _counted(book: PhraseBook) -> Counter[str]:
    return Counter(PhraseIndex.build(book).texts)
