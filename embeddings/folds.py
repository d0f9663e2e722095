"""Which phrases are held out together when a catalog is measured against itself."""

from typing import Final

import numpy as np
import numpy.typing as npt

FOLDS: Final = 5
_SEED: Final = 20260218


def assign_folds(labels: npt.NDArray[np.int64], folds: int = FOLDS) -> npt.NDArray[np.int64]:
    """Deal the phrases of each label out over the folds, in a fixed random order.

    Args:
        labels: int64 (n,).
        folds: how many.

    Returns:
        int64 (n,) in [0, folds); a label with several phrases is never held out whole.
    """
    generator = np.random.default_rng(_SEED)
    order = np.lexsort((generator.random(len(labels)), labels))
    ranked = labels[order]
    first = np.searchsorted(ranked, ranked)
    # A different first fold for each label keeps the folds even where labels have few phrases.
    dealt = (np.arange(len(labels)) - first + ranked) % folds
    assigned = np.empty(len(labels), dtype=np.int64)
    assigned[order] = dealt
    return assigned
