"""Fits the weights of the conditional logit, so that the right labels of held-out phrases are most likely.

The weights have a normal prior of variance 1 / `PRIOR_STRENGTH`. Its means are in `priors.json`, with and without the
model: `thin` for labels without phrasings, `examples` for labels with some, `outside` for labels with some in a catalog
that also has out-of-scope phrases of its own. The file says where each comes from; `benchmarks/fit_priors.py` fits the
first two.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from embeddings.arrays import DoubleArray, IntArray
from embeddings.index.fitted_index import LABEL_SIGNALS, NEEDS_MODEL, SIGNALS
from embeddings.labels.phrase_book import ASSUMED_SHARE, PhraseBook
from embeddings.ranking.ranking import probabilities
from embeddings.training.calibration_data import CalibrationData

FIRM: Final = 30.0
"""Strength of the prior for signals that say little about a catalog's own phrasings, which were written apart from its
descriptions, and move together. With 1 for all, the expected calibration error on our catalog is 0.038 and 0.040 on
needs reworded from issue threads, with 30 it is 0.037 and 0.032; first place is 0.942 and 0.943 of 1,981 queries."""

PRIOR_STRENGTH: Final = np.array(
    [FIRM if signal in ("nearest", "whole", "part", "words", "coverage", "catalog size") else 1.0 for signal in SIGNALS]
)
"""float64 (signals,), the inverse of the variance of each weight's normal prior."""

KEPT: Final = 1e12
"""Strength of the prior of what is not to move."""

_STEPS: Final = 50
_TOLERANCE: Final = 1e-9


def fit_weights(evidence: CalibrationData, prior: DoubleArray, *, lexical_only: bool) -> DoubleArray:
    """Find the weights of largest posterior probability with Newton's method; the function is concave.

    Args:
        evidence: held-out queries; if there are none, the result is the prior.
        prior: (signals,), the weights that are likeliest without evidence.
        lexical_only: keep the weights of signals that need the model at zero.

    Returns:
        float64 (signals,).
    """
    free = ~NEEDS_MODEL if lexical_only else np.ones(len(SIGNALS), dtype=bool)
    measured = _Measured(evidence.features[:, :, free].astype(np.float64), evidence.chosen, evidence.importance)
    fitted = np.where(free, prior, 0.0)
    fitted[free] = _maximise(measured, _Prior(prior[free], PRIOR_STRENGTH[free]))
    return fitted if lexical_only or evidence.unlearnt is None else _with_none(evidence, fitted, prior)


def _with_none(evidence: CalibrationData, fitted: DoubleArray, prior: DoubleArray) -> DoubleArray:
    """Weigh "none" anew, by queries whose hidden labels the ranking head has not learnt.

    The weights of the labels stay: what a catalog lacks says nothing about which label is first.
    """
    labels, features = len(LABEL_SIGNALS), evidence.real.astype(np.float64)
    settled = features[:, :, :labels] @ fitted[:labels, None]
    measured = _Measured(
        np.concatenate([settled, features[:, :, labels:]], axis=2), evidence.chosen, evidence.importance
    )
    kept = _Prior(np.concatenate([[1.0], prior[labels:]]), np.concatenate([[KEPT], PRIOR_STRENGTH[labels:]]))
    return np.concatenate([fitted[:labels], _maximise(measured, kept)[1:]])


class _Measured(NamedTuple):
    """Calibration data with the signals that are weighted: features (n, alternatives, s)."""

    features: DoubleArray
    chosen: IntArray
    importance: DoubleArray


class _Prior(NamedTuple):
    """A normal prior: the mean and the inverse variance of each weight."""

    mean: DoubleArray
    strength: DoubleArray


def _maximise(measured: _Measured, prior: _Prior) -> DoubleArray:
    weights = prior.mean.copy()
    height = _log_posterior(measured, weights, prior)
    for _ in range(_STEPS):
        gradient, curvature = _derivatives(measured, weights)
        gradient -= prior.strength * (weights - prior.mean)
        curvature += np.diag(prior.strength)
        step = np.linalg.solve(curvature, gradient)
        # Far from the maximum a full step can overshoot, so it is halved until the posterior does not fall.
        while (reached := _log_posterior(measured, weights + step, prior)) < height:
            step /= 2
            if np.abs(step).max() < _TOLERANCE:
                return weights
        weights, height = weights + step, reached
        if np.abs(step).max() < _TOLERANCE:
            break
    return weights


def _log_posterior(measured: _Measured, weights: DoubleArray, prior: _Prior) -> float:
    utilities = measured.features @ weights
    top = utilities.max(axis=1)
    total = top + np.log(np.exp(utilities - top[:, None]).sum(axis=1))
    likelihood = measured.importance @ (utilities[np.arange(len(total)), measured.chosen] - total)
    return float(likelihood - (prior.strength * (weights - prior.mean) ** 2).sum() / 2)


def _derivatives(measured: _Measured, weights: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
    """Compute the gradient of the log-likelihood, (s,), and its negated second derivatives, (s, s)."""
    features, importance = measured.features, measured.importance
    share = probabilities(features, weights)
    expected = np.einsum("na,nas->ns", share, features)
    gradient = importance @ (features[np.arange(len(expected)), measured.chosen] - expected)
    spread = features * (share * importance[:, None])[:, :, None]
    second = np.tensordot(spread, features, axes=([0, 1], [0, 1]))
    return gradient, second - (expected * importance[:, None]).T @ expected


FOLDS: Final = 5

FEW: Final = 3000
"""Up to this number of phrases, every fold is held out in turn. With more, one fold gives enough data, and each fold
costs one fit."""

MAX_HELD_OUT: Final = 2500
"""Maximum phrases held out if only one fold is; eight weights need no more."""

_SEED: Final = 20260218


def assign_folds(labels: IntArray, folds: int = FOLDS) -> IntArray:
    """Distribute the phrases of each label over the folds, in a fixed random order.

    Args:
        labels: int64 (n,), the label of each phrase.
        folds: number of folds.

    Returns:
        int64 (n,), the fold of each phrase in [0, folds), or -1 if it is never held out. A label with several phrases
        is never held out as a whole.
    """
    generator = np.random.default_rng(_SEED)
    order = np.lexsort((generator.random(len(labels)), labels))
    ranked = labels[order]
    first = np.searchsorted(ranked, ranked)
    # Starting each label at a different fold keeps the folds even if labels have few phrases.
    dealt = (np.arange(len(labels)) - first + ranked) % folds
    assigned = np.empty(len(labels), dtype=np.int64)
    assigned[order] = dealt
    if len(labels) <= FEW:
        return assigned
    held = np.flatnonzero(assigned == 0)
    if len(held) > MAX_HELD_OUT:
        held = held[np.linspace(0, len(held) - 1, MAX_HELD_OUT).astype(np.int64)]
    only = np.full(len(labels), -1, dtype=np.int64)
    only[held] = 0
    return only


_FILE: Final = Path(__file__).with_name("priors.json")


def prior(book: PhraseBook, *, lexical_only: bool) -> DoubleArray:
    """Return the weights for a catalog, between the three kinds by the share of labels that have phrasings.

    If the catalog states the share of queries that no label fits, the constant of "none" is moved by its log-odds.

    Returns:
        float64 (signals,).
    """
    described = book.share_with_examples
    weights = (1 - described) * _weights("thin", lexical_only=lexical_only)
    # A few out-of-scope phrases say little: squared, 20 of 100 count for 0.04.
    outside = described * book.shown_outside**2
    weights += (described - outside) * _weights("examples", lexical_only=lexical_only)
    weights += outside * _weights("outside", lexical_only=lexical_only)
    if book.out_of_scope_share is not None:
        weights[SIGNALS.index("none")] += _log_odds(book.out_of_scope_share) - _log_odds(ASSUMED_SHARE)
    return weights


def _weights(kind: str, *, lexical_only: bool) -> DoubleArray:
    stored: Mapping[str, float] = _stored()["lexical" if lexical_only else "full"][kind]
    return np.array([stored.get(signal, 0.0) for signal in SIGNALS])


@cache
def _stored() -> Any:
    return json.loads(_FILE.read_text(encoding="utf-8"))["weights"]


def _log_odds(share: float) -> float:
    """Return the logarithm of share / (1 - share), of a share of 0.001 at least."""
    bounded = max(share, 0.001)
    return float(np.log(bounded / (1 - bounded)))
