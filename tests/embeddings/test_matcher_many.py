"""Many phrases at once, probabilities as an array, and matchers that are pickled."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embeddings.encoder.encoder import Encoder
from embeddings.errors import ModelError, PhraseError
from embeddings.matcher import Matcher
from embeddings.ranking.decision import Costs
from tests.toy import BOOK, ToyEncoder

MATCHER = Matcher.build(BOOK, ToyEncoder())
WORDS = ["undo", "rewind", "see", "picture", "plug", "outside", "mcp", "vision", "Checkpoints", "service"]


@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), max_size=8))
def test_many_phrases_are_answered_as_one_by_one(phrases: list[str]) -> None:
    assert MATCHER.match_many(phrases, top=2) == [MATCHER.match(phrase, top=2) for phrase in phrases]


def test_progress_is_told_and_repeated_phrases_are_matched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int]] = []
    matched: list[str] = []
    match = MATCHER._now.match

    def count(phrase: str, *others: Any) -> Any:
        matched.append(phrase)
        return match(phrase, *others)

    monkeypatch.setattr(MATCHER._now, "match", count)
    MATCHER.match_many(["undo", "see it", "undo"], progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert matched == ["undo", "see it"]


def test_a_single_string_and_a_blank_phrase_are_refused() -> None:
    for phrases in ("undo", ["undo", " "], [3], [["undo"]]):
        with pytest.raises(PhraseError):
            MATCHER.match_many(phrases)  # type: ignore[arg-type]
        with pytest.raises(PhraseError):
            MATCHER.probabilities(phrases)  # type: ignore[arg-type]


def test_probabilities_add_up_to_one_and_are_those_of_the_matches() -> None:
    phrases = ["undo and see", "how much is it", "rewind"]
    found = MATCHER.probabilities(phrases)
    assert found.shape == (3, MATCHER.size + 1)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    for row, result in zip(found, MATCHER.match_many(phrases, top=3), strict=True):
        for match in result.matches:
            assert row[MATCHER.names.index(match.name)] == pytest.approx(match.match_confidence, abs=1e-3)
        assert row[-1] == pytest.approx(result.none_confidence, abs=1e-3)
    assert MATCHER.probabilities([]).shape == (0, MATCHER.size + 1)


def test_a_pickled_matcher_answers_as_before_with_its_costs() -> None:
    bold = Matcher.build(BOOK, ToyEncoder(), costs=Costs(wrong=0.5))
    degraded = Matcher.degraded(BOOK, costs=Costs(wrong=0.5))
    for matcher in (MATCHER, bold, degraded):
        restored = pickle.loads(pickle.dumps(matcher))
        for phrase in ("undo and see", "rewind", "how much"):
            assert restored.match(phrase) == matcher.match(phrase)
        assert restored.catalog_fingerprint == matcher.catalog_fingerprint


def test_an_encoder_is_pickled_without_its_model(shipped_encoder: Encoder) -> None:
    content = pickle.dumps(shipped_encoder)
    assert len(content) < 1000
    restored = pickle.loads(content)
    np.testing.assert_array_equal(restored.encode(["undo it"]), shipped_encoder.encode(["undo it"]))


def test_a_folder_that_has_another_model_now_is_told(shipped_encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    content = pickle.dumps(shipped_encoder)
    tuned = Encoder.load()
    monkeypatch.setattr(Encoder, "load", classmethod(lambda *_: tuned))
    with pytest.raises(ModelError, match="pickled without its model"):
        pickle.loads(content)
    monkeypatch.undo()
    gone = content.replace(b"all-MiniLM-L6-v2", b"all-MiniLM-L6-v9")
    with pytest.raises(ModelError, match="no model in"):
        pickle.loads(gone)
