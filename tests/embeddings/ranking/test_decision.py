import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.ranking.decision import decide
from embeddings.ranking.match_result import Decision


@pytest.mark.parametrize(
    ("confidences", "none", "decision"),
    [
        ([1.0, 0.0, 0.0], 0.0, "resolved"),
        ([0.92, 0.05, 0.03], 0.0, "resolved"),
        ([0.85, 0.15, 0.0], 0.0, "ambiguous"),
        ([0.5, 0.5], 0.0, "ambiguous"),
        ([0.34, 0.33, 0.33], 0.0, "ambiguous"),
        ([0.3, 0.0, 0.0], 0.7, "no_match"),
        ([0.0, 0.0, 0.0], 1.0, "no_match"),
        ([0.95], 0.05, "resolved"),
        ([0.6], 0.4, "ambiguous"),
        ([0.1], 0.9, "no_match"),
    ],
)
def test_the_decision_follows_the_probabilities(confidences: list[float], none: float, decision: Decision) -> None:
    assert decide(confidences, none) == decision


def test_a_right_label_past_the_third_place_does_not_make_candidates_useful() -> None:
    assert decide([0.19, 0.19, 0.18], 0.44) == "ambiguous"
    assert decide([0.056] * 10, 0.44) == "no_match"


@settings(deadline=None)
@given(st.floats(0, 1), st.floats(0, 1))
def test_more_certainty_never_takes_an_answer_back(one: float, other: float) -> None:
    less, more = sorted((one, other))
    if decide([less, 1 - less], 0) == "resolved":
        assert decide([more, 1 - more], 0) == "resolved"
    if decide([1 - less], less) == "no_match":
        assert decide([1 - more], more) == "no_match"
