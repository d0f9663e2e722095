from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.arrays import DoubleArray, FloatArray
from embeddings.index.fitted_index import NARROW, SIGNALS, STEPS, ExpectedScores, KernelRidge
from embeddings.ranking import rankers
from embeddings.ranking.rankers import FIRST, MIN_BYTES, FullRanker, SparedHead
from embeddings.training.build import build_index
from tests.toy import BOOK, ToyEncoder

KERNEL, COSINE, NONE = (SIGNALS.index(name) for name in ("kernel", "cosine", "none kernel"))
PHRASES = 60


def head(labels: int, seed: int) -> KernelRidge:
    random = np.random.default_rng(seed)
    coefficients = random.normal(scale=0.1, size=(PHRASES, labels + 1)).astype(np.float32)
    return KernelRidge(np.arange(PHRASES, dtype=np.int64), coefficients)


def signals_of(labels: int, seed: int) -> FloatArray:
    found = np.random.default_rng(seed).uniform(0, 1, (labels + 1, len(SIGNALS))).astype(np.float32)
    found[:, KERNEL] = found[:, NONE] = 0
    return found


def expected(spread: float) -> ExpectedScores:
    return ExpectedScores(np.linspace(0, 0.5, STEPS), np.full(STEPS, spread))


def weights(seed: int) -> DoubleArray:
    return np.random.default_rng(seed).normal(scale=8, size=len(SIGNALS))


@settings(deadline=None)
@given(st.integers(FIRST + 1, 40), st.integers(0, 1000), st.sampled_from([0.0, 0.2, 4.0]))
def test_a_label_is_scored_or_so_far_behind_that_no_expected_score_saves_it(
    labels: int, seed: int, spread: float
) -> None:
    ridge, signals, all_weights = head(labels, seed), signals_of(labels, seed), weights(seed)
    cosines = np.random.default_rng(seed + 1).uniform(-0.2, 1, PHRASES).astype(np.float32)
    outlook = expected(spread)
    SparedHead(ridge, outlook, all_weights).fill(signals, cosines)
    exact = ridge.scores(cosines)
    assert signals[-1, NONE] == pytest.approx(exact[-1], abs=1e-5)
    scored = np.isclose(signals[:-1, KERNEL], exact[:-1], atol=1e-5)
    assert scored.sum() >= FIRST
    mean, _ = outlook.of(signals[:-1, COSINE])
    np.testing.assert_array_equal(signals[:-1, KERNEL][~scored], mean[~scored].astype(np.float32))
    utilities = signals @ all_weights
    reach = utilities[:-1] + spread * abs(all_weights[KERNEL])
    assert (reach[~scored] < utilities.max() - rankers.FAR + 1e-6).all()
    assert (reach[~scored] <= utilities[:-1][scored].max() + 1e-6).all()


def test_sparing_is_for_large_heads_of_few_labels() -> None:
    cases = [
        (48, MIN_BYTES // 4, True),
        (48, 10, False),
        (FIRST - 1, MIN_BYTES, False),
        (NARROW, MIN_BYTES // 4, False),
    ]
    for labels, rows, worth in cases:
        landmarks = np.arange(rows, dtype=np.int64)
        coefficients = np.broadcast_to(np.float32(0), (rows, labels + 1))
        ridge = mock.Mock(spec=KernelRidge, landmarks=landmarks, coefficients=coefficients)
        assert SparedHead.is_worth(ridge) == worth, labels


def test_with_labels_spared_confidences_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for phrase in ["undo it", "see outside tools", "zzz", "restroe a picture, and connect it"]:
        monkeypatch.setattr(rankers, "MIN_BYTES", 0)
        monkeypatch.setattr(rankers, "FIRST", 2)
        fitted = build_index(BOOK, ToyEncoder())
        assert fitted.expected is not None, phrase
        exact = FullRanker(replace(fitted, expected=None), ToyEncoder()).rank(phrase)
        spared = FullRanker(fitted, ToyEncoder()).rank(phrase)
        assert spared.confidences == pytest.approx(exact.confidences, abs=0.003), phrase
