import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embeddings.arrays import DoubleArray
from embeddings.index.fitted_index import EMBEDDING_SIGNALS, NEEDS_MODEL, SIGNALS
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import ASSUMED_SHARE, ENOUGH_OUTSIDE, PhraseBook
from embeddings.training import conditional_logit
from embeddings.training.conditional_logit import prior

FILE = Path(conditional_logit.__file__).with_name("priors.json")
STORED: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
THIN, ASKED = Label("A", (), "prose"), Label("B", phrasings=("ask",))
NONE = SIGNALS.index("none")
ENOUGH = tuple(f"outside {i}" for i in range(ENOUGH_OUTSIDE))


def stored(kind: str, mode: str = "full") -> DoubleArray:
    return np.array([STORED["weights"][mode][kind].get(signal, 0.0) for signal in SIGNALS])


def of(*labels: Label, outside: tuple[str, ...] = (), share: float | None = None, lexical: bool = False) -> DoubleArray:
    return prior(PhraseBook(labels, outside, share), lexical_only=lexical)


def test_every_stored_weight_is_a_number_of_a_known_signal() -> None:
    for mode in ["full", "lexical"]:
        for kind in ["thin", "examples", "outside"]:
            weights = STORED["weights"][mode][kind]
            assert set(weights) <= set(SIGNALS), (mode, kind)
            assert np.isfinite(list(weights.values())).all(), (mode, kind)


def test_the_weights_without_the_model_leave_its_signals_out() -> None:
    for kind in ["thin", "examples", "outside"]:
        assert not {signal for signal in EMBEDDING_SIGNALS if STORED["weights"]["lexical"][kind].get(signal)}, kind


def test_phrasings_move_the_weights_from_thin_to_those_of_examples() -> None:
    np.testing.assert_allclose(of(THIN, Label("C")), stored("thin"))
    np.testing.assert_allclose(of(ASKED), stored("examples"))
    np.testing.assert_allclose(of(THIN, ASKED), (stored("thin") + stored("examples")) / 2)


def test_out_of_scope_phrases_move_the_weights_of_a_catalog_with_phrasings() -> None:
    np.testing.assert_allclose(of(ASKED, outside=ENOUGH), stored("outside"))
    half = of(ASKED, outside=ENOUGH[: ENOUGH_OUTSIDE // 2])
    np.testing.assert_allclose(half, (3 * stored("examples") + stored("outside")) / 4)
    np.testing.assert_allclose(of(THIN, outside=ENOUGH), of(THIN))


def test_without_the_model_the_weights_of_its_signals_are_zero() -> None:
    found = of(THIN, ASKED, outside=ENOUGH, lexical=True)
    assert not found[NEEDS_MODEL].any()
    assert found[~NEEDS_MODEL].any()


def test_a_stated_share_of_the_assumed_size_moves_nothing() -> None:
    np.testing.assert_allclose(of(THIN, share=ASSUMED_SHARE), of(THIN))


def test_a_stated_share_moves_the_constant_of_none_alone_by_its_log_odds() -> None:
    for share in [0.01, 0.5, 0.9]:
        moved = of(THIN, share=share) - of(THIN)
        odds = [value / (1 - value) for value in (share, ASSUMED_SHARE)]
        assert moved[NONE] == pytest.approx(np.log(odds[0] / odds[1])), share
        assert np.count_nonzero(moved) == 1, share


def test_a_share_of_zero_gives_finite_weights() -> None:
    assert np.isfinite(of(THIN, share=0.0)).all()


def test_asking_twice_gives_the_same_weights() -> None:
    first = of(THIN, ASKED, share=0.4)
    first += 1
    np.testing.assert_allclose(of(THIN, ASKED, share=0.4), first - 1)
