import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embeddings.metrics import LabelledQuery, area_under_roc, calibration_error, evaluate
from embeddings.ranking.match_result import Decision, Match, MatchResult

scores = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=12)


def answered(names: str, confidence: float, decision: Decision = "resolved") -> MatchResult:
    matches = tuple(Match(name, confidence if not place else 0.0, "embedding") for place, name in enumerate(names))
    return MatchResult("q", decision, False, matches)


@given(scores, scores)
def test_the_area_is_the_share_of_pairs_in_order(positive: list[float], negative: list[float]) -> None:
    pairs = [(p > n) + (p == n) / 2 for p in positive for n in negative]
    assert area_under_roc(np.array(positive), np.array(negative)) == pytest.approx(sum(pairs) / len(pairs))


def test_the_area_of_nothing_is_not_a_number() -> None:
    assert math.isnan(area_under_roc(np.array([]), np.array([1.0])))


def test_confidence_that_comes_true_has_no_calibration_error() -> None:
    confidence = np.array([0.5, 0.5, 1.0, 1.0])
    assert calibration_error(confidence, np.array([True, False, True, True]), bins=2) == 0


def test_confidence_without_a_right_answer_is_all_error() -> None:
    assert calibration_error(np.full(30, 0.9), np.zeros(30, dtype=bool)) == pytest.approx(0.9)


def test_figures_of_five_queries_worked_out_by_hand() -> None:
    queries = [
        LabelledQuery("right", ("A",)),
        LabelledQuery("second", ("B",)),
        LabelledQuery("either", ("B", "C")),
        LabelledQuery("refused", ()),
        LabelledQuery("taken", ()),
    ]
    results = [
        answered("ABC", 0.9),
        answered("ABC", 0.6, "ambiguous"),
        answered("CAB", 0.8),
        answered("ABC", 0.1, "no_match"),
        answered("BAC", 0.7),
    ]
    found = evaluate(queries, results)
    expected = {"top1": 2 / 3, "top3": 1, "mrr": 5 / 6, "coverage": 1 / 2, "precision": 1, "falseResolve": 1 / 2}
    assert {name: found.figures[name] for name in expected} == pytest.approx(expected)
    assert found.figures["auroc"] == pytest.approx(5 / 6)
    assert found.confusions == (("(none)", "B", 1), ("B", "A", 1))


def test_strata_are_told_apart() -> None:
    queries = [LabelledQuery("x", ("A",), "vague"), LabelledQuery("y", (), "out")]
    found = evaluate(queries, [answered("AB", 1.0), answered("AB", 0.1, "no_match")])
    assert found.strata == {"vague": {"rows": 1, "top1": 1, "top3": 1, "mrr": 1}, "out": {"rows": 1, "falseResolve": 0}}


def test_figures_without_rows_are_absent() -> None:
    found = evaluate([LabelledQuery("x", ("A",))], [answered("A", 1.0)])
    assert "falseResolve" not in found.figures
    assert "auroc" not in found.to_dict()


def test_the_interval_holds_the_figure_and_repeats() -> None:
    queries = [LabelledQuery(str(number), ("A",)) for number in range(20)]
    results = [answered("A" if number % 4 else "B", 0.8) for number in range(20)]
    first, second = evaluate(queries, results), evaluate(queries, results)
    low, high = first.intervals["top1"]
    assert low < 0.75 < high
    assert first.intervals == second.intervals
