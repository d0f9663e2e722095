import numpy as np
import pytest

from embeddings.arrays import FloatArray
from embeddings.index.fitted_index import MAX_SCORE, SIGNALS, STEPS
from embeddings.training.kernel_ridge import DEVIATIONS, MIN_MEASURED, expected_scores


def measured(cosine: float, scores: list[float]) -> FloatArray:
    """Queries of one label with a cosine, and of "none", whose signals do not count."""
    features = np.zeros((len(scores), 2, len(SIGNALS)), dtype=np.float32)
    features[:, 1] = 1
    features[:, 0, SIGNALS.index("cosine")] = cosine
    features[:, 0, SIGNALS.index("kernel")] = scores
    return features


def test_scores_are_expected_as_they_were_measured_at_a_cosine() -> None:
    found = expected_scores(measured(0.52, [0.1, 0.3] * MIN_MEASURED))
    place = int(0.52 * STEPS)
    assert found.mean[place] == pytest.approx(0.2)
    assert found.spread[place] == pytest.approx(DEVIATIONS * 0.1)


def test_where_little_was_measured_any_score_is_possible() -> None:
    found = expected_scores(measured(0.52, [0.1] * (MIN_MEASURED - 1)))
    assert found.spread.tolist() == [MAX_SCORE] * STEPS
