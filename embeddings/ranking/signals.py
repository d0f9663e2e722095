"""Assembles the signals of each label for one query: the columns that the conditional logit weights."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from embeddings.arrays import BoolArray, FloatArray
from embeddings.index.fitted_index import LABEL_SIGNALS, NONE_SIGNALS, SIGNALS
from embeddings.labels.corpus import Corpus

MAX_LABELS: Final = 1000
"""From this number of labels on, more do not make "none" likelier: the weight was fitted to 27 to 989 labels. Of the
requests that one of 4,076 tools serves, 12% were `no_match` without this bound, and 1% with it."""


_COLUMNS: Final = {signal: SIGNALS.index(signal) for signal in LABEL_SIGNALS}
_NONE_COLUMNS: Final = {
    signal: SIGNALS.index(f"none {signal}") for signal in LABEL_SIGNALS if f"none {signal}" in NONE_SIGNALS
}
"""Columns of the signals that "none" has, too."""

_HEAD_START: Final = SIGNALS.index("none")
_CATALOG_SIZE: Final = SIGNALS.index("catalog size")


@dataclass(frozen=True)
class ModelSignals:
    """The signals of one query that need the model.

    Attributes:
        kernel: float32 (labels + 1,), scores of the ranking head, "none" last.
        cosine: float32 (labels + 1,), mean of the two largest cosines, "none" last.
        nearest: float32 (labels,), the largest cosine.
        whole: float32 (labels,), cosine to the name and description as one text.
        part: float32 (labels,), the largest such cosine over the clauses of the query.
    """

    kernel: FloatArray
    cosine: FloatArray
    nearest: FloatArray
    whole: FloatArray
    part: FloatArray

    @classmethod
    def of(cls, corpus: Corpus, cosines: FloatArray, kernel: FloatArray) -> "ModelSignals":
        """Reduce the cosines of a query to all phrases, (n,); the query counts as one clause."""
        whole = cosines[corpus.whole_rows]
        best, mean = corpus.spans.best_and_mean(cosines)
        return cls(kernel, mean, best[:-1], whole, whole)


@dataclass(frozen=True)
class LexicalSignals:
    """The signals of one query that need no model.

    Attributes:
        words: float32 (labels,), logarithm of one plus the BM25 score.
        coverage: float32 (labels,), the BM25 score over the weight of the query's words.
        spelling: float32 (labels + 1,), the largest character n-gram similarity, "none" last.
        substring: float32 (labels,), overlap with a name or alias.
    """

    words: FloatArray
    coverage: FloatArray
    spelling: FloatArray
    substring: FloatArray

    @classmethod
    def of(
        cls, corpus: Corpus, reading: str, unseen: BoolArray | None = None, besides: str | None = None
    ) -> "LexicalSignals":
        """Compare one reading of a query with the letters, words and names of a catalog.

        Args:
            corpus: the catalog.
            reading: the query, as typed or corrected.
            unseen: bool (phrases,), the phrases that are left out (default: none).
            besides: a folded text that does not count as a name.
        """
        scores, weight = corpus.words.scores(reading)
        spelling = corpus.lexical.similarities(reading)
        if unseen is not None:
            spelling[unseen] = 0
        return cls(
            words=np.log1p(scores),
            coverage=scores / np.float32(max(weight, 1e-6)),
            spelling=corpus.spans.best(spelling),
            substring=corpus.names.overlaps(reading, besides),
        )


def assemble(model: ModelSignals | None, lexical: LexicalSignals, catalog_size: int | None = None) -> FloatArray:
    """Assemble the signals of one query into a matrix; see `LABEL_SIGNALS` and `NONE_SIGNALS` for their meaning.

    Args:
        model: the signals that need the model; None without it.
        lexical: the others.
        catalog_size: number of labels of the whole catalog (default: those that have signals).

    Returns:
        float32 (labels + 1, signals), columns as in `SIGNALS`; the last row is "none of them".
    """
    labels = len(lexical.substring)
    values = np.zeros((labels + 1, len(SIGNALS)), dtype=np.float32)
    found = (vars(model) if model else {}) | vars(lexical)
    for signal, value in found.items():
        values[:labels, _COLUMNS[signal]] = value[:labels]
        if (none := _NONE_COLUMNS.get(signal)) is not None:
            values[labels, none] = value[labels]
    values[labels, _HEAD_START] = 1
    values[labels, _CATALOG_SIZE] = math.log(min(catalog_size or labels, MAX_LABELS))
    return values


def whiten(vectors: FloatArray, whitening: FloatArray) -> FloatArray:
    """Map vectors from float32 (n, d) to (n, k) and scale them to unit length; a zero vector stays zero."""
    if len(vectors) == 1:
        # Several times as fast as a product of matrices, of which one has a single row.
        row = vectors[0] @ whitening
        row /= np.float32(math.sqrt(row @ row) or 1.0)
        return np.asarray(row[None], dtype=np.float32)
    mapped = vectors @ whitening
    lengths = np.sqrt(np.einsum("ij,ij->i", mapped, mapped))[:, None]
    lengths[lengths == 0] = 1
    return np.asarray(mapped / lengths, dtype=np.float32)
