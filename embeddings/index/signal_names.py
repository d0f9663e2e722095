"""Names of the signals of a label for one query, in the order of their weights in a vector file."""

from typing import Final

import numpy as np

LABEL_SIGNALS: Final = (
    "kernel",
    "cosine",
    "nearest",
    "whole",
    "part",
    "words",
    "coverage",
    "spelling",
    "substring",
)
"""kernel: score of the ranking head. cosine: mean of the two largest cosines to the label's phrases; nearest: the
largest. whole: cosine to the name and description as one text; part: the largest such cosine over the clauses of the
query. words: logarithm of one plus the BM25 score of the label's words; coverage: that score over the weight of the
query's words. spelling: largest character n-gram similarity to a phrase. substring: share of the phrase that is a name
or alias, or share of a name or alias that is the phrase."""

NONE_SIGNALS: Final = ("none", "catalog size", "none kernel", "none cosine", "none spelling")
"""Signals of "none of them": a constant head start; the logarithm of the number of labels, as the best of many labels
that are not meant is nearer; and the similarity of the query to the out-of-scope and background phrases."""

SIGNALS: Final = LABEL_SIGNALS + NONE_SIGNALS

EMBEDDING_SIGNALS: Final = ("kernel", "cosine", "nearest", "whole", "part", "none kernel", "none cosine")
"""The signals that need the model; the others are lexical."""

NEEDS_MODEL: Final = np.array([signal in EMBEDDING_SIGNALS for signal in SIGNALS])
"""bool (signals,), true for the signals that need the model."""
