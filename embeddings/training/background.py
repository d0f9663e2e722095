"""What people say to an assistant when they mean no label of a catalog: built-in phrases, written for this project.

They stand beside the out-of-scope phrases of a catalog that has few or none of its own, except where a label is about
what they are about.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.labels.phrase_book import PhraseBook
from embeddings.training.calibration_data import shown_outside

_FILE: Final = Path(__file__).with_name("background.json")

SAME_SUBJECT: Final = 0.5
"""Cosine of a group's title to a label's name and description, or of a phrase to one of them, from which on the label
may be about it."""


def background(book: PhraseBook, encoder: TextEncoder) -> list[str]:
    """List the background phrases for a catalog.

    The more out-of-scope phrases a catalog has, the fewer of these are added; from `ENOUGH_OUTSIDE` on, none.
    """
    needed = 1 - shown_outside(book)
    if not needed:
        return []
    groups = _groups()
    labels = encoder.encode([phrase.text for phrase in book.phrases() if phrase.kind in ("name", "whole")])
    apart = _nearest(list(groups), labels, encoder) < SAME_SUBJECT
    phrases = [phrase for group, kept in zip(groups, apart, strict=True) if kept for phrase in groups[group]]
    near = _nearest(phrases, labels, encoder) if phrases else np.zeros(0)
    phrases = [phrase for phrase, nearest in zip(phrases, near, strict=True) if nearest < SAME_SUBJECT]
    rows = np.linspace(0, len(phrases) - 1, round(len(phrases) * needed)).astype(np.int64)
    return [phrases[row] for row in rows]


def _nearest(texts: Sequence[str], labels: FloatArray, encoder: TextEncoder) -> FloatArray:
    """Cosine of each text to the label nearest to it: float32 (texts,)."""
    found: FloatArray = (encoder.encode(texts) @ labels.T).max(axis=1)
    return found


@cache
def _groups() -> Mapping[str, Sequence[str]]:
    groups: Mapping[str, Sequence[str]] = json.loads(_FILE.read_text(encoding="utf-8"))["groups"]
    return groups
