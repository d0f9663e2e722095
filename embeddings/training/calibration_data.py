"""Measures a catalog's phrases against the rest of the catalog: the training data of the conditional logit.

Each phrase is used as a query, with the phrases of its fold left out of the catalog. If the catalog has no out-of-scope
phrases, phrases whose label is left out take their place.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from embeddings.arrays import BoolArray, FloatArray, IntArray
from embeddings.index.signal_names import SIGNALS
from embeddings.labels.corpus import Corpus
from embeddings.ranking.signals import assemble
from embeddings.text.normalization import fold

MOST_ALTERNATIVES: Final = 40
"""Labels kept for each query: those with the largest signals. The probability of the others is negligible."""

HIDDEN_EVERY: Final = 5
"""If there are no out-of-scope phrases, every fifth query is measured with its label left out."""


@dataclass(frozen=True)
class CalibrationData:
    """Held-out queries and the signals of their alternatives.

    Attributes:
        features: float32 (n, alternatives, signals); "none" is the last alternative.
        chosen: int64 (n,), the right alternative.
    """

    features: FloatArray
    chosen: IntArray


@dataclass(frozen=True)
class HeldOut:
    """The vectors of all phrases, and scores of each phrase by a ranking head that was fitted without its fold.

    Attributes:
        vectors: float32 (n, d).
        kernel: float32 (n, labels + 1), scores of the ranking head.
    """

    vectors: FloatArray
    kernel: FloatArray


def gather(corpus: Corpus, folds: IntArray, held_out: HeldOut | None) -> CalibrationData:
    """Measure phrases, each as a query that is not in the catalog.

    Args:
        corpus: the catalog.
        folds: int64 (n,), the fold of each phrase; -1 for a phrase that is not measured.
        held_out: vectors and scores; None to measure only the lexical signals.
    """
    rows = _queries(corpus, folds)
    hidden = np.zeros(len(rows), dtype=bool)
    if not corpus.spans.has_none:
        hidden[::HIDDEN_EVERY] = True
    width = min(corpus.spans.labels, MOST_ALTERNATIVES) + 1
    features = np.zeros((len(rows), width, len(SIGNALS)), dtype=np.float32)
    chosen = np.full(len(rows), width - 1, dtype=np.int64)
    owners = corpus.owners
    for place, row in enumerate(rows):
        values = _signals(corpus, int(row), folds == folds[row], held_out)
        kept = _alternatives(values, int(owners[row]), width - 1, hide=bool(hidden[place]))
        features[place, : len(kept)] = values[kept]
        features[place, -1] = values[-1]
        if not hidden[place]:
            chosen[place] = np.append(kept, corpus.spans.labels).tolist().index(owners[row]) % width
    return CalibrationData(features, chosen)


def _queries(corpus: Corpus, folds: IntArray) -> IntArray:
    """List the rows to measure: phrasings, aliases and out-of-scope phrases, unless it is their label's only phrase."""
    asked = np.array([phrase.kind in ("phrasing", "alias") for phrase in corpus.phrases], dtype=bool)
    return np.flatnonzero(asked & (folds >= 0) & (corpus.spans.sizes[corpus.owners] > 1))


def _signals(corpus: Corpus, row: int, unseen: BoolArray, held_out: HeldOut | None) -> FloatArray:
    """Compute the signals of one phrase, leaving out the phrases in `unseen`."""
    text = corpus.phrases[row].text
    spelling = corpus.lexical.similarities(text)
    spelling[unseen] = 0
    kernel = cosine = np.zeros(corpus.spans.labels + 1, dtype=np.float32)
    if held_out is not None:
        kernel = held_out.kernel[row]
        cosines = held_out.vectors @ held_out.vectors[row]
        cosines[unseen] = 0
        cosine = corpus.spans.two_best_mean(cosines)
    substring = corpus.names.overlaps(text, besides=fold(text))
    return assemble(kernel, cosine, corpus.spans.best(spelling), substring)


def _alternatives(values: FloatArray, owner: int, most: int, *, hide: bool) -> IntArray:
    """List the labels to compare for one query: the likeliest, including the right one unless it is hidden."""
    labels = len(values) - 1
    strength = values[:labels].sum(axis=1)
    if owner < labels:
        strength[owner] = -np.inf if hide else np.inf
    kept = np.argsort(-strength, kind="stable")[:most]
    return kept[kept != owner] if hide else kept
