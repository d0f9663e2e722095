"""The stored fit is the one that was asked for, and says where it comes from."""

import json

from benchmarks.fit_priors import FILE, FREE, ORIGIN, with_weights
from embeddings.index.fitted_index import NEEDS_MODEL, SIGNALS


def test_only_the_named_weights_are_replaced() -> None:
    content = {
        "weights": {"full": {"thin": {"words": 1.0}, "examples": {"words": 2.0}}},
        "origins": {"full": {"thin": "before", "examples": "before"}},
    }
    found = with_weights(content, {"full": {"thin": {"words": 3.0}, "examples": {"words": 4.0}}}, ["full/examples"])
    assert found["weights"]["full"] == {"thin": {"words": 1.0}, "examples": {"words": 4.0}}
    assert found["origins"]["full"] == {"thin": "before", "examples": ORIGIN}


def test_without_the_model_no_signal_needs_it() -> None:
    lexical = {signal for signal, needs in zip(SIGNALS, NEEDS_MODEL, strict=True) if not needs}
    assert all(lexical.issuperset(signals) for signals in FREE["lexical"].values())


def test_the_stored_weights_have_signals_and_an_origin_each() -> None:
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    for model, kinds in stored["weights"].items():
        assert kinds.keys() == stored["origins"][model].keys()
        assert all(set(weights) <= set(SIGNALS) for weights in kinds.values())
