"""The weights that are likeliest for a catalog before any of its phrases is measured, learned from public catalogs.

`priors.json` holds them, with and without the model: `thin` for labels without phrasings, `examples` for labels with
some, `outside` for those of a catalog that also has out-of-scope phrases of its own. The file says where each comes
from; `benchmarks/fit_priors.py` fits the first two.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from embeddings.arrays import DoubleArray
from embeddings.index.signal_names import SIGNALS
from embeddings.labels.phrase_book import PhraseBook
from embeddings.training.calibration_data import ASSUMED_SHARE, shown_outside

_FILE: Final = Path(__file__).with_name("priors.json")


def prior(book: PhraseBook, *, lexical_only: bool) -> DoubleArray:
    """Return the weights for a catalog, between the three kinds by the share of labels that have phrasings.

    If the catalog states the share of queries that no label fits, the constant of "none" is moved by its log-odds.

    Returns:
        float64 (signals,).
    """
    described = sum(bool(label.phrasings) for label in book.labels) / len(book.labels)
    weights = (1 - described) * _weights("thin", lexical_only=lexical_only)
    outside = described * shown_outside(book)
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
    """The logarithm of share / (1 - share), of a share of 0.001 at least."""
    bounded = max(share, 0.001)
    return float(np.log(bounded / (1 - bounded)))
