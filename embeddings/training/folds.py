"""Chooses which phrases are held out together when a catalog is measured against itself."""

from typing import Final

import numpy as np

from embeddings.arrays import IntArray

FOLDS: Final = 5

FEW: Final = 3000
"""Up to this number of phrases, every fold is held out in turn. With more, one fold gives enough data, and each fold
costs one fit."""

MOST_HELD_OUT: Final = 2500
"""Most phrases held out if only one fold is; eight weights need no more."""

_SEED: Final = 20260218


def assign_folds(labels: IntArray, folds: int = FOLDS) -> IntArray:
    """Distribute the phrases of each label over the folds, in a fixed random order.

    Args:
        labels: int64 (n,), the label of each phrase.
        folds: number of folds.

    Returns:
        int64 (n,), the fold of each phrase in [0, folds), or -1 if it is never held out. A label with several phrases
        is never held out as a whole.
    """
    generator = np.random.default_rng(_SEED)
    order = np.lexsort((generator.random(len(labels)), labels))
    ranked = labels[order]
    first = np.searchsorted(ranked, ranked)
    # Starting each label at a different fold keeps the folds even if labels have few phrases.
    dealt = (np.arange(len(labels)) - first + ranked) % folds
    assigned = np.empty(len(labels), dtype=np.int64)
    assigned[order] = dealt
    if len(labels) <= FEW:
        return assigned
    held = np.flatnonzero(assigned == 0)
    if len(held) > MOST_HELD_OUT:
        held = held[np.linspace(0, len(held) - 1, MOST_HELD_OUT).astype(np.int64)]
    only = np.full(len(labels), -1, dtype=np.int64)
    only[held] = 0
    return only
