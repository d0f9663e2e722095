"""What people say to an assistant when they mean no label of a catalog: built-in phrases, written for this project.

They stand beside the out-of-scope phrases of a catalog that has few or none of its own, except where a label is about
what they are about.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.labels.phrase_book import PhraseBook
from embeddings.training.calibration_data import shown_outside

_FILE: Final = Path(__file__).with_name("background.json")

SAME_SUBJECT: Final = 0.5
"""Cosine of a group's title to a label's name and description, or of a phrase to one of them, from which on the label
may be about it. Of 300 queries of HWU64, whose intents with one description each cover weather, jokes and recipes, 16%
are `no_match` with 0.35, 18% with 0.5, and 19% with 0.65 or none; on ToolAlpaca and home-assistant it changes at most
one point. 0.5 keeps 637, 695 and 767 of the 767 phrases."""


class Background(NamedTuple):
    """The phrases chosen for a catalog, and their vectors: float32 (n, d)."""

    phrases: list[str]
    vectors: FloatArray


def background(book: PhraseBook, labels: FloatArray, encode: Callable[[list[str]], FloatArray]) -> Background:
    """Choose the background phrases for a catalog.

    The more out-of-scope phrases a catalog has, the fewer of these are added; from `ENOUGH_OUTSIDE` on, none.

    Args:
        book: the catalog.
        labels: float32 (labels, d), vectors of each label's name and description.
        encode: embeds texts.
    """
    needed = 1 - shown_outside(book)
    if not needed:
        return Background([], labels[:0])
    groups = _groups()
    apart = _nearest(encode(list(groups)), labels) < SAME_SUBJECT
    phrases = [phrase for group, kept in zip(groups, apart, strict=True) if kept for phrase in groups[group]]
    if not phrases:
        return Background([], labels[:0])
    vectors = encode(phrases)
    rows = np.flatnonzero(_nearest(vectors, labels) < SAME_SUBJECT)
    rows = rows[np.linspace(0, len(rows) - 1, round(len(rows) * needed)).astype(np.int64)]
    return Background([phrases[row] for row in rows], vectors[rows])


def most_encoded(book: PhraseBook) -> int:
    """The largest number of texts that `background` embeds for a catalog."""
    return len(_groups()) + sum(map(len, _groups().values())) if shown_outside(book) < 1 else 0


def _nearest(vectors: FloatArray, labels: FloatArray) -> FloatArray:
    """Cosine of each vector to the label nearest to it: float32 (n,)."""
    found: FloatArray = (vectors @ labels.T).max(axis=1)
    return found


@cache
def _groups() -> Mapping[str, Sequence[str]]:
    groups: Mapping[str, Sequence[str]] = json.loads(_FILE.read_text(encoding="utf-8"))["groups"]
    return groups
