"""A catalog's phrases measured against the rest of the catalog: what the choice model learns from.

Each phrase is taken as a query that its own fold does not know. Where the catalog has no out-of-scope phrases, a phrase
whose whole label is hidden stands in for one.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from embeddings.phrase_index import PhraseIndex
from embeddings.signals import SIGNALS, FloatArray, IntArray, assemble
from embeddings.text import fold

MOST_ALTERNATIVES: Final = 40
"""Labels kept for each query: those with the largest signals. The others have no share worth counting."""

HIDDEN_EVERY: Final = 5
"""One query in so many is measured with its label hidden, where no out-of-scope phrases are given."""


@dataclass(frozen=True)
class Evidence:
    """Held-out queries with the signals of their alternatives.

    Attributes:
        features: float32 (n, alternatives, signals); "none" is the last alternative.
        chosen: int64 (n,), the right one.
    """

    features: FloatArray
    chosen: IntArray


@dataclass(frozen=True)
class HeldOut:
    """What the model says of each phrase without having seen its fold.

    Attributes:
        vectors: float32 (n, d).
        kernel: float32 (n, labels + 1).
    """

    vectors: FloatArray
    kernel: FloatArray


def gather(index: PhraseIndex, folds: IntArray, held_out: HeldOut | None) -> Evidence:
    """Measure phrases as if each were an unknown query.

    Args:
        index: the catalog.
        folds: int64 (n,), the fold each phrase belongs to; -1 for one that is not measured.
        held_out: None to measure the lexical signals alone.
    """
    rows = _queries(index, folds)
    hidden = np.zeros(len(rows), dtype=bool)
    if not index.spans.has_none:
        hidden[::HIDDEN_EVERY] = True
    width = min(index.spans.labels, MOST_ALTERNATIVES) + 1
    features = np.zeros((len(rows), width, len(SIGNALS)), dtype=np.float32)
    chosen = np.full(len(rows), width - 1, dtype=np.int64)
    owners = index.owners
    for place, row in enumerate(rows):
        values = _signals(index, int(row), folds == folds[row], held_out)
        kept = _alternatives(values, int(owners[row]), width - 1, hide=bool(hidden[place]))
        features[place, : len(kept)] = values[kept]
        features[place, -1] = values[-1]
        if not hidden[place]:
            chosen[place] = np.append(kept, index.spans.labels).tolist().index(owners[row]) % width
    return Evidence(features, chosen)


def _queries(index: PhraseIndex, folds: IntArray) -> IntArray:
    """Rows to measure: phrasings, aliases and out-of-scope phrases of labels that are known by others as well."""
    asked = np.array([phrase.kind in ("phrasing", "alias") for phrase in index.phrases], dtype=bool)
    return np.flatnonzero(asked & (folds >= 0) & (index.spans.sizes[index.owners] > 1))


def _signals(index: PhraseIndex, row: int, unseen: npt.NDArray[np.bool_], held_out: HeldOut | None) -> FloatArray:
    """Signals of one phrase, the phrases in `unseen` left out."""
    text = index.phrases[row].text
    spelling = index.lexical.similarities(text)
    spelling[unseen] = 0
    kernel = cosine = np.zeros(index.spans.labels + 1, dtype=np.float32)
    if held_out is not None:
        kernel = held_out.kernel[row]
        cosines = held_out.vectors @ held_out.vectors[row]
        cosines[unseen] = 0
        cosine = index.spans.two_best_mean(cosines)
    substring = index.names.overlaps(text, besides=fold(text))
    return assemble(kernel, cosine, index.spans.best(spelling), substring)


def _alternatives(values: FloatArray, owner: int, most: int, *, hide: bool) -> IntArray:
    """The labels to weigh for one query: the likeliest, the right one among them unless it is hidden."""
    labels = len(values) - 1
    strength = values[:labels].sum(axis=1)
    if owner < labels:
        strength[owner] = -np.inf if hide else np.inf
    kept = np.argsort(-strength, kind="stable")[:most]
    return kept[kept != owner] if hide else kept
