"""From signals to probabilities: a conditional logit (McFadden, 1974) over the labels and "none of them".

Every label has a utility, a weighted sum of its signals; so has "none". The probabilities are the softmax of the
utilities, so they add up to one, and ranking and confidence are one model. The weights maximise the likelihood of
held-out phrases, drawn towards a prior with the force of a normal distribution of variance 1 / `PRIOR_STRENGTH`.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from embeddings.evidence import Evidence
from embeddings.signals import NEEDS_MODEL, SIGNALS

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

PRIOR: Final[Mapping[str, float]] = dict(zip(SIGNALS, (9.0, 11.0, 4.0, 0.0, 5.0, 9.0, 8.0, 2.0), strict=True))
"""Weights for a catalog that offers nothing to measure. Fitted to eight sparse catalogs, 1,120 labelled queries each:
our capabilities by name, by name and definition, by definition, with aliases; CLINC150 by name and with 1, 2 and 4
phrases an intent. Expected calibration error with them: 0.03 to 0.07 on CLINC150, 0.10 to 0.19 on ours."""

LEXICAL_PRIOR: Final[Mapping[str, float]] = dict(zip(SIGNALS, (0.0, 0.0, 13.0, 0.0, 3.8, 0.0, 0.0, 6.0), strict=True))
"""The same without the model: 0.03 to 0.10."""

PRIOR_STRENGTH: Final = 1.0
_STEPS: Final = 50
_TOLERANCE: Final = 1e-9


def probabilities(features: npt.NDArray[np.floating], weights: FloatArray) -> FloatArray:
    """Softmax over the alternatives.

    Args:
        features: (..., alternatives, signals).
        weights: (signals,).

    Returns:
        (..., alternatives), each in [0, 1], adding up to 1 over the alternatives.
    """
    utilities = features @ weights
    raised = np.exp(utilities - utilities.max(axis=-1, keepdims=True))
    result: FloatArray = raised / raised.sum(axis=-1, keepdims=True)
    return result


def fit_weights(evidence: Evidence, *, lexical_only: bool) -> FloatArray:
    """Weights of largest posterior probability, by Newton's method on a concave function.

    Args:
        evidence: held-out queries; without any, the prior is the answer.
        lexical_only: leave the signals that need the model at zero.

    Returns:
        float64 (signals,).
    """
    prior = np.array([(LEXICAL_PRIOR if lexical_only else PRIOR)[signal] for signal in SIGNALS])
    free = ~NEEDS_MODEL if lexical_only else np.ones(len(SIGNALS), dtype=bool)
    features = evidence.features[:, :, free].astype(np.float64)
    weights = _maximise(features, evidence.chosen, prior[free])
    fitted = prior.copy()
    fitted[free] = weights
    return fitted


def _maximise(features: FloatArray, chosen: IntArray, prior: FloatArray) -> FloatArray:
    weights = prior.copy()
    height = _log_posterior(features, chosen, weights, prior)
    for _ in range(_STEPS):
        gradient, curvature = _derivatives(features, chosen, weights)
        gradient -= PRIOR_STRENGTH * (weights - prior)
        curvature += PRIOR_STRENGTH * np.eye(len(weights))
        step = np.linalg.solve(curvature, gradient)
        # A full step can overshoot far from the top, so it is halved until it climbs.
        while (reached := _log_posterior(features, chosen, weights + step, prior)) < height:
            step /= 2
            if np.abs(step).max() < _TOLERANCE:
                return weights
        weights, height = weights + step, reached
        if np.abs(step).max() < _TOLERANCE:
            break
    return weights


def _log_posterior(features: FloatArray, chosen: IntArray, weights: FloatArray, prior: FloatArray) -> float:
    utilities = features @ weights
    top = utilities.max(axis=1)
    total = top + np.log(np.exp(utilities - top[:, None]).sum(axis=1))
    likelihood = (utilities[np.arange(len(chosen)), chosen] - total).sum()
    return float(likelihood - PRIOR_STRENGTH * ((weights - prior) ** 2).sum() / 2)


def _derivatives(features: FloatArray, chosen: IntArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Gradient (s,) of the log-likelihood, and the negative (s, s) of its second derivatives."""
    share = probabilities(features, weights)
    expected = np.einsum("na,nas->ns", share, features)
    gradient = (features[np.arange(len(chosen)), chosen] - expected).sum(axis=0)
    second = np.tensordot(features * share[:, :, None], features, axes=([0, 1], [0, 1]))
    return gradient, second - expected.T @ expected
