from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.index.fitted_index import LABEL_SIGNALS, NEEDS_MODEL, SIGNALS
from embeddings.ranking.ranking import probabilities
from embeddings.training.calibration_data import CalibrationData
from embeddings.training.conditional_logit import PRIOR_STRENGTH, fit_weights

Table = npt.NDArray[np.float64]

PRIOR = np.linspace(2.0, 5.0, len(SIGNALS))


def evidence(seed: int, queries: int = 12) -> CalibrationData:
    generator = np.random.default_rng(seed)
    features = generator.random((queries, 4, len(SIGNALS))).astype(np.float32)
    return CalibrationData(features, generator.integers(0, 4, queries), generator.uniform(0.5, 2, queries))


def log_posterior(found: CalibrationData, weights: Table, prior: Table) -> float:
    chances = [probabilities(query, weights)[right] for query, right in zip(found.features, found.chosen, strict=True)]
    return float(found.importance @ np.log(chances) - (PRIOR_STRENGTH * (weights - prior) ** 2).sum() / 2)


@settings(deadline=None)
@given(st.lists(st.floats(-1000, 1000), min_size=1, max_size=6))
def test_probabilities_add_up_to_one_and_stay_within_bounds(utilities: list[float]) -> None:
    found = probabilities(np.array(utilities)[:, None], np.ones(1))
    assert found.sum() == pytest.approx(1)
    assert ((found >= 0) & (found <= 1)).all()


def test_probabilities_are_the_softmax_of_the_weighted_signals() -> None:
    features = np.array([[1.0, 0.0], [0.0, 1.0]])
    found = probabilities(features, np.array([np.log(3), 0.0]))
    np.testing.assert_allclose(found, [0.75, 0.25])


def test_queries_of_a_batch_do_not_touch_each_other() -> None:
    features = np.random.default_rng(1).random((3, 4, 2))
    weights = np.array([2.0, -1.0])
    np.testing.assert_allclose(probabilities(features, weights)[1], probabilities(features[1], weights))


def test_fitted_weights_are_the_top_of_the_posterior() -> None:
    for lexical_only in [False, True]:
        free = ~NEEDS_MODEL if lexical_only else np.ones(len(SIGNALS), dtype=bool)
        found, prior = evidence(7), np.where(free, PRIOR, 0)
        weights = fit_weights(found, PRIOR, lexical_only=lexical_only)
        top = log_posterior(found, weights, prior)
        for signal in np.flatnonzero(free):
            for step in (-0.05, 0.05):
                assert log_posterior(found, weights + step * np.eye(len(SIGNALS))[signal], prior) < top, lexical_only


def test_without_evidence_the_prior_is_the_answer() -> None:
    nothing = evidence(1, queries=0)
    np.testing.assert_array_equal(fit_weights(nothing, PRIOR, lexical_only=False), PRIOR)
    np.testing.assert_array_equal(fit_weights(nothing, PRIOR, lexical_only=True), np.where(NEEDS_MODEL, 0, PRIOR))


def test_the_lexical_fit_gives_no_weight_to_signals_of_the_model() -> None:
    weights = fit_weights(evidence(3), PRIOR, lexical_only=True)
    assert not weights[NEEDS_MODEL].any()
    assert (weights[~NEEDS_MODEL] != 0).all()


def test_a_signal_that_tells_right_from_wrong_gains_weight_and_a_misleading_one_loses() -> None:
    features = np.zeros((40, 2, len(SIGNALS)), dtype=np.float32)
    features[:, 0, SIGNALS.index("spelling")] = 0.2
    features[:, 1, SIGNALS.index("cosine")] = 0.2
    weights = fit_weights(
        CalibrationData(features, np.zeros(40, dtype=np.int64), np.ones(40)), PRIOR, lexical_only=False
    )
    gained = dict(zip(SIGNALS, weights - PRIOR, strict=True))
    assert gained["spelling"] > 0 > gained["cosine"]


def test_scores_of_labels_that_were_not_learnt_weigh_none_anew_and_leave_the_labels() -> None:
    found, labels = evidence(7, queries=200), len(LABEL_SIGNALS)
    nearer = found.features.copy()
    nearer[found.chosen == 3, :3, SIGNALS.index("kernel")] += 1
    known = fit_weights(found, PRIOR, lexical_only=False)
    weights = fit_weights(replace(found, unlearnt=nearer), PRIOR, lexical_only=False)
    np.testing.assert_array_equal(weights[:labels], known[:labels])
    right = found.chosen == 3
    before, after = (probabilities(nearer, each)[right, 3].mean() for each in (known, weights))
    assert after > before


def test_a_query_that_stands_for_two_counts_twice() -> None:
    found = evidence(5)
    twice = CalibrationData(found.features, found.chosen, found.importance * 2)
    repeated = CalibrationData(
        *(np.concatenate([part, part]) for part in (found.features, found.chosen, found.importance))
    )
    np.testing.assert_allclose(
        fit_weights(twice, PRIOR, lexical_only=False), fit_weights(repeated, PRIOR, lexical_only=False), atol=1e-6
    )


def test_contradictory_evidence_gives_finite_weights() -> None:
    features = np.zeros((20, 3, len(SIGNALS)), dtype=np.float32)
    features[:, 0] = 1
    weights = fit_weights(CalibrationData(features, np.arange(20) % 3, np.ones(20)), PRIOR, lexical_only=False)
    assert np.isfinite(weights).all()
