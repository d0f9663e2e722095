"""Compares a vector file with the current catalog and encoder."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.index import vector_file
from embeddings.labels.corpus import Corpus
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.signals import whiten
from embeddings.training.build import Progress, embed

VECTOR_TOLERANCE: Final = 0.1
"""Largest allowed distance between a stored and a new unit vector; a cosine of 0.995. Quantization to 8 bits and
another processor's rounding move a vector by less than 0.03 (x86-64 with and without VNNI), another model by far
more."""

_SHOWN: Final = 5


def differences(path: Path, book: PhraseBook, encoder: TextEncoder, progress: Progress | None = None) -> list[str]:
    """Compare a vector file with the catalog and the encoder that it should be built from.

    Returns:
        One line for each kind of difference; an empty list if the file is up to date.

    Raises:
        VectorFileError: the file is missing, damaged, of another format, or built with another model.
    """
    stored = vector_file.read(path, encoder)
    if stored.corpus.book.fingerprint != book.fingerprint:
        return _texts(stored.corpus.book, book)
    if stored.approximate:
        return ["the catalog was updated since its ranking was fitted to all of it; rebuild"]
    if stored.corpus.book != book:
        return ["since the build, ids or metadata of labels were changed; rebuild"]
    fresh = whiten(embed(stored.corpus.texts, encoder, progress), stored.whitening)
    return moved(stored.corpus.texts, fresh, stored.vectors)


def moved(texts: Sequence[str], fresh: FloatArray, stored: FloatArray) -> list[str]:
    """Return a line on the text whose new vector is farthest from its stored one.

    The line is empty if all are within the tolerance.
    """
    distances = np.linalg.norm(fresh - stored, axis=1)
    row = int(distances.argmax())
    if distances[row] > VECTOR_TOLERANCE:
        text = texts[row]
        return [f"vector of {text!r} is off by {distances[row]:.4f}; the tolerance is {VECTOR_TOLERANCE}; rebuild"]
    return []


def _texts(stored: PhraseBook, current: PhraseBook) -> list[str]:
    """Describe added and removed texts, or else that their order or labels changed."""
    before, after = _counted(stored), _counted(current)
    lines = []
    for word, found in (("added", after - before), ("removed", before - after)):
        if found:
            shown = ", ".join(repr(text) for text in list(found)[:_SHOWN])
            more = ", ..." if len(found) > _SHOWN else ""
            lines.append(f"{found.total()} texts {word} since the build: {shown}{more}; rebuild")
    return lines or [
        "since the build, texts were put in another order or under another label, or fields were changed; rebuild"
    ]


def _counted(book: PhraseBook) -> Counter[str]:
    return Counter(Corpus.build(book).texts)
