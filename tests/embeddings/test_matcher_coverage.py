"""Sets that have what is right with a probability."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embeddings.errors import CoverageError
from embeddings.index.held_out_scores import POINTS, HeldOutScores
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from tests.toy import BOOK, ToyEncoder

MATCHER = Matcher.build(BOOK, ToyEncoder())
WORDS = ["undo", "rewind", "see", "picture", "plug", "outside", "mcp", "service", "weather", "nothing"]
PHRASES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
COVERAGES = st.floats(0.05, 0.85)


def members(phrase: str, coverage: float) -> set[str]:
    found = MATCHER.match(phrase, coverage=coverage).within
    assert found is not None
    return {*found.labels, *(["none"] if found.has_none else [])}


@given(PHRASES, COVERAGES, COVERAGES)
def test_a_larger_coverage_has_all_of_the_smaller_sets_members(phrase: str, one: float, other: float) -> None:
    assert members(phrase, min(one, other)) <= members(phrase, max(one, other))


@given(PHRASES, COVERAGES)
def test_a_set_is_never_empty_and_its_labels_are_the_first_matches(phrase: str, coverage: float) -> None:
    result = MATCHER.match(phrase, 1, coverage=coverage)
    assert result.within is not None
    assert result.within.labels or result.within.has_none
    named = [match.name for match in result.matches]
    assert list(result.within.labels) == named[: len(result.within.labels)]


def test_a_name_is_alone_in_its_set() -> None:
    assert members("Vision", 0.8) == {"Vision"}


def test_scores_cover_what_they_were_read_off() -> None:
    scores = np.random.default_rng(1).beta(1, 5, 3000)
    held_out = HeldOutScores.of(scores, np.ones(3000), 3000)
    for coverage in (0.5, 0.8, 0.9, 0.95, 0.99):
        covered = float((1 - scores >= held_out.least(coverage)).mean())
        assert coverage <= covered <= coverage + 2 / POINTS


def test_rows_count_as_often_as_they_stand_for() -> None:
    held_out = HeldOutScores.of(np.array([0.1, 0.6]), np.array([3.0, 1.0]), 100)
    assert held_out.least(0.7) == pytest.approx(0.9, abs=1e-6)
    assert held_out.least(0.8) == pytest.approx(0.4, abs=1e-6)


@pytest.mark.parametrize("coverage", [0, 1, -0.5, 1.5, float("nan")])
def test_what_is_no_probability_is_refused(coverage: float) -> None:
    with pytest.raises(CoverageError, match="above 0 and below 1"):
        MATCHER.match("undo", coverage=coverage)


def test_more_than_the_examples_can_show_is_refused_with_how_many_it_needs() -> None:
    with pytest.raises(CoverageError, match="needs 99 or more"):
        MATCHER.match("undo", coverage=0.99)


def test_a_catalog_without_examples_is_refused() -> None:
    bare = PhraseBook((Label("Undo", description="take back"), Label("See", description="look at it")))
    with pytest.raises(CoverageError, match="has no examples"):
        Matcher.build(bare, ToyEncoder()).match("undo", coverage=0.5)
    with pytest.raises(CoverageError, match="by words alone"):
        Matcher.degraded(BOOK).match("undo", coverage=0.5)


def test_a_vector_file_keeps_the_scores(tmp_path: Path) -> None:
    MATCHER.save(tmp_path / "toy.npz")
    loaded = Matcher.load(tmp_path / "toy.npz", ToyEncoder())
    assert loaded.match("undo it", coverage=0.8).within == MATCHER.match("undo it", coverage=0.8).within


def test_the_json_value_has_the_set() -> None:
    value = MATCHER.match("undo it", coverage=0.8).to_dict()
    assert json.loads(json.dumps(value))["within"]["coverage"] == 0.8
    assert "within" not in MATCHER.match("undo it").to_dict()


def test_sets_hold_for_phrases_like_those_that_are_labelled(tmp_path: Path) -> None:
    phrases = ["undo", "see a picture", "weather", "service outside", *["rewind the picture"] * 36]
    right: list[tuple[str, ...]] = [("Checkpoints",), ("Vision",), (), ("MCP Support",), *[("Vision",)] * 36]
    matcher = MATCHER.with_labelled(phrases, right)
    found = matcher.match("rewind the picture", coverage=0.9).within
    assert found is not None
    assert "Vision" in found.labels
    matcher.save(tmp_path / "kept.npz")
    assert Matcher.load(tmp_path / "kept.npz", ToyEncoder()).match("rewind the picture", coverage=0.9).within == found
    assert matcher.match("undo the picture") == MATCHER.match("undo the picture")


def test_phrases_with_a_wrong_label_or_none_are_refused() -> None:
    for phrases, right, told in (
        ([], [], "0 phrases and 0 answers"),
        (["undo"], [], "1 phrases and 0 answers"),
        (["undo"], [("Undo",)], "labelled phrases name 'Undo'; a label is a name or an id in the catalog"),
    ):
        with pytest.raises(ValueError, match=told):
            MATCHER.with_labelled(phrases, right)
    with pytest.raises(ValueError, match="a degraded matcher makes no sets"):
        Matcher.degraded(BOOK).with_labelled(["undo"], [("Checkpoints",)])
