"""Which phrases are held out together when a catalog is measured against itself."""

from typing import Final

import numpy as np
import numpy.typing as npt

FOLDS: Final = 5

FEW: Final = 3000
"""Phrases up to which every fold is held out in turn; of more, one fold tells enough, and each costs a fit."""

MOST_HELD_OUT: Final = 2500
"""Phrases held out at most where one fold is; eight weights need no more."""

_SEED: Final = 20260218


def assign_folds(labels: npt.NDArray[np.int64], folds: int = FOLDS) -> npt.NDArray[np.int64]:
    """Deal the phrases of each label out over the folds, in a fixed random order.

    Args:
        labels: int64 (n,).
        folds: how many.

    Returns:
        int64 (n,) in [0, folds), or -1 for what is never held out; a label with several phrases never is as a whole.
    """
    generator = np.random.default_rng(_SEED)
    order = np.lexsort((generator.random(len(labels)), labels))
    ranked = labels[order]
    first = np.searchsorted(ranked, ranked)
    # A different first fold for each label keeps the folds even where labels have few phrases.
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
