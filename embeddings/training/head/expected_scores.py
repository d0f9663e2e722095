"""Measures which scores the ranking head gives to labels at a cosine, on held-out phrases."""

from typing import Final

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.index.expected_scores import DECIMALS, MOST, STEPS, ExpectedScores, steps
from embeddings.index.signal_names import SIGNALS

DEVIATIONS: Final = 3.0
"""Standard deviations within which nearly all scores lie."""

FEWEST: Final = 20
"""Fewest measured labels of a range; with fewer, any score is possible there."""


def expected_scores(features: FloatArray) -> ExpectedScores:
    """Measure scores by cosine.

    Args:
        features: float32 (n, alternatives, signals) of held-out phrases; the last alternative is "none".
    """
    cosines, scores = (
        features[:, :-1, SIGNALS.index(name)].ravel().astype(np.float64) for name in ("cosine", "kernel")
    )
    ranges = steps(cosines.astype(np.float32))
    counts = np.bincount(ranges, minlength=STEPS)
    mean = np.bincount(ranges, weights=scores, minlength=STEPS) / np.maximum(counts, 1)
    variance = np.bincount(ranges, weights=(scores - mean[ranges]) ** 2, minlength=STEPS) / np.maximum(counts, 1)
    spread = np.where(counts < FEWEST, MOST, np.minimum(DEVIATIONS * np.sqrt(variance), MOST))
    # Rounded as they are stored, so that a loaded matcher answers like a newly built one.
    rounded = [np.round(np.clip(each, -MOST, MOST), DECIMALS).astype(np.float32) for each in (mean, spread)]
    return ExpectedScores(*rounded)
