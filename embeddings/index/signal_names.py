"""Names of the signals of a label for one query, in the order of their weights in a vector file."""

from typing import Final

import numpy as np

LABEL_SIGNALS: Final = ("kernel", "cosine", "spelling", "substring")
"""kernel: score of the ranking head. cosine: mean of the two largest cosines to the label's phrases. spelling: largest
character n-gram similarity to one of them. substring: share of the phrase that is a name or alias, or share of a name
or alias that is the phrase."""

NONE_SIGNALS: Final = ("none", "none kernel", "none cosine", "none spelling")
"""Signals of "none of them": a constant head start, and the similarity of the query to the out-of-scope phrases."""

SIGNALS: Final = LABEL_SIGNALS + NONE_SIGNALS

EMBEDDING_SIGNALS: Final = ("kernel", "cosine", "none kernel", "none cosine")
"""The signals that need the model; the others are lexical."""

NEEDS_MODEL: Final = np.array([signal in EMBEDDING_SIGNALS for signal in SIGNALS])
"""bool (signals,), true for the signals that need the model."""
