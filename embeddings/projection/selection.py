"""Which phrases of a large catalog are drawn."""

import numpy as np

from embeddings.arrays import IntArray
from embeddings.labels.corpus import Corpus


def shown_rows(corpus: Corpus, most: int) -> tuple[IntArray, int]:
    """Choose phrases of a catalog, and count those left out; the built-in background is not the catalog's.

    Args:
        corpus: the catalog.
        most: maximum number of phrases. With more, every label has the same number of phrases, or all if it has fewer,
            evenly spaced in the order of the catalog.
    """
    own = np.array([phrase.kind != "background" for phrase in corpus.phrases])
    rows = np.flatnonzero(own)
    if len(rows) <= most:
        return rows, 0
    groups = np.split(rows, np.flatnonzero(np.diff(corpus.owners[rows])) + 1)
    each = _even_share([len(group) for group in groups], most)
    # With more labels than points, a label has none or one of them.
    chosen = np.concatenate([_evenly(group, each) for group in groups]) if each else _evenly(rows, most)
    return chosen, len(rows) - len(chosen)


def _even_share(sizes: list[int], most: int) -> int:
    """The largest number that every group can have without exceeding `most` in total."""
    low, high = 0, max(sizes)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(size, middle) for size in sizes) <= most:
            low = middle
        else:
            high = middle - 1
    return low


def _evenly(rows: IntArray, count: int) -> IntArray:
    if len(rows) <= count:
        return rows
    return rows[np.arange(count) * len(rows) // count]
