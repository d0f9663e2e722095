import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.ranking.decision import DEFAULT_COSTS, NAMED_COSTS, Costs, decide, expected_costs
from embeddings.ranking.match_result import Decision


def test_the_decision_follows_the_probabilities() -> None:
    cases: list[tuple[list[float], float, Decision]] = [
        ([1.0, 0.0, 0.0], 0.0, "resolved"),
        ([0.92, 0.05, 0.03], 0.0, "resolved"),
        ([0.85, 0.15, 0.0], 0.0, "ambiguous"),
        ([0.884, 0.059, 0.021], 0.003, "resolved"),
        ([0.884, 0.004, 0.002], 0.11, "ambiguous"),
        ([0.5, 0.5], 0.0, "ambiguous"),
        ([0.34, 0.33, 0.33], 0.0, "ambiguous"),
        ([0.3, 0.0, 0.0], 0.7, "no_match"),
        ([0.0, 0.0, 0.0], 1.0, "no_match"),
        ([0.95], 0.05, "resolved"),
        ([0.6], 0.4, "ambiguous"),
        ([0.1], 0.9, "no_match"),
    ]
    for confidences, none, decision in cases:
        assert decide(confidences, none) == decision, confidences


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


def test_what_mistakes_cost_changes_the_decision() -> None:
    cases: list[tuple[Costs, list[float], float, Decision, Decision]] = [
        (Costs(wrong=20), [0.92, 0.05], 0.03, "resolved", "ambiguous"),
        (Costs(wrong=2), [0.6, 0.4], 0.0, "ambiguous", "resolved"),
        (Costs(candidates=9, useless=9), [0.6, 0.4], 0.0, "ambiguous", "no_match"),
        (Costs(useless=20), [0.5, 0.1, 0.1], 0.3, "ambiguous", "no_match"),
        (Costs(missed=30), [0.2, 0.1, 0.1], 0.6, "no_match", "ambiguous"),
        (Costs(unfounded=40), [0.96, 0.01], 0.03, "resolved", "ambiguous"),
        (Costs(unfounded=1), [0.88, 0.01], 0.11, "ambiguous", "resolved"),
    ]
    for costs, confidences, none, before, after in cases:
        assert (decide(confidences, none), decide(confidences, none, costs)) == (before, after), costs


@settings(deadline=None)
@given(st.floats(0, 1), st.floats(0, 1))
def test_only_the_ratios_of_the_costs_matter(first: float, second: float) -> None:
    confidences = sorted((first / 2, second / 2), reverse=True)
    # Powers of two scale floats without rounding.
    scaled = Costs(32.0, 4.0, 8.0, 12.0, 60.0)
    assert decide(confidences, 1 - sum(confidences), scaled) == decide(confidences, 1 - sum(confidences))


def test_a_cost_that_is_no_cost_is_refused_by_name() -> None:
    for value in [-1.0, -1e-9, float("nan"), float("inf"), -float("inf")]:
        for name in ["wrong", "candidates", "useless", "missed", "unfounded"]:
            with pytest.raises(
                ValueError, match=f"the cost '{name}' is {value}; a cost must be a finite number of 0 or more"
            ):
                Costs(**{name: value})


def test_expected_costs_are_what_each_mistake_costs_by_its_probability() -> None:
    costs = Costs(wrong=10, candidates=1, useless=2, missed=3, unfounded=20)
    found = expected_costs([0.5, 0.2, 0.1, 0.1], 0.1, costs)
    assert found == pytest.approx({"resolved": 10 * 0.4 + 20 * 0.1, "ambiguous": 0.8 + 2 * 0.2, "no_match": 3 * 0.9})


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5), st.floats(0, 1))
def test_the_decision_is_the_one_that_is_expected_to_cost_least(weights: list[float], weight: float) -> None:
    total = sum(weights) + weight or 1.0
    confidences, none = sorted((each / total for each in weights), reverse=True), weight / total
    found = expected_costs(confidences, none)
    assert found[decide(confidences, none)] == min(found.values())


def test_named_costs_differ_in_what_they_spare() -> None:
    assert NAMED_COSTS["careful"] == DEFAULT_COSTS
    assert decide([0.85, 0.1, 0.02], 0.02) == "ambiguous"
    assert decide([0.85, 0.1, 0.02], 0.02, NAMED_COSTS["routing"]) == "resolved"
    assert decide([0.2, 0.1, 0.05], 0.6) == "no_match"
    assert decide([0.2, 0.1, 0.05], 0.6, NAMED_COSTS["offer"]) == "ambiguous"
