"""Catalogs with any vectors."""

import numpy as np
from hypothesis import strategies as st

from embeddings.arrays import FloatArray
from embeddings.labels.corpus import Corpus
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.projection import Projection


def corpus(sizes: list[int], outside: int = 0, background: int = 0) -> Corpus:
    """Return a catalog with a label for each size, which has that many phrasings besides its name."""
    labels = tuple(
        Label(f"label {place}", phrasings=tuple(f"phrase {place} {other}" for other in range(size)))
        for place, size in enumerate(sizes)
    )
    book = PhraseBook(labels, tuple(f"outside {place}" for place in range(outside)))
    return Corpus.build(book, [f"background {place}" for place in range(background)])


def unit(vectors: FloatArray) -> FloatArray:
    """Vectors of unit length; a zero vector stays."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths == 0, 1, lengths), dtype=np.float32)


def clustered(catalog: Corpus, noise: float = 0.4, seed: int = 1) -> FloatArray:
    """Return a vector for each phrase, near that of its label."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(catalog.spans.labels + 1, 16))
    return unit(centres[catalog.owners] + noise * random.normal(size=(len(catalog.phrases), 16)).astype(np.float32))


@st.composite
def drawn(draw: st.DrawFn) -> tuple[Corpus, FloatArray, Projection]:
    """Return a small catalog with vectors that are often equal, opposite or zero, and its picture."""
    sizes = draw(st.lists(st.integers(0, 3), min_size=1, max_size=6))
    catalog = corpus(sizes, draw(st.integers(0, 2)))
    value = st.sampled_from([0.0, 0.0, 1.0, -1.0, 0.5])
    row = st.lists(value, min_size=4, max_size=4)
    rows = draw(st.lists(row, min_size=len(catalog.phrases), max_size=len(catalog.phrases)))
    vectors = unit(np.array(rows, dtype=np.float32))
    return catalog, vectors, Projection.of(catalog, vectors, 1_000)
