import pytest

from embeddings.metrics import LabelledQuery, decided_with, evaluate, wilson
from embeddings.ranking.decision import NAMED_COSTS
from embeddings.ranking.match_result import Match, MatchResult
from tests.embeddings.metrics.answers import answered


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
    assert {kind: (part.rows, part.figures) for kind, part in found.strata.items()} == {
        "vague": (1, {"top1": 1, "top3": 1, "mrr": 1, "falseNoMatch": 0}),
        "out": (1, {"falseResolve": 0}),
    }


def test_a_stratum_of_both_kinds_has_the_figures_of_both() -> None:
    queries = [LabelledQuery("x", ("A",)), LabelledQuery("y", ())]
    found = evaluate(queries, [answered("AB", 0.2, "no_match"), answered("AB", 1.0)])
    assert found.strata["all"].figures == {"top1": 1, "top3": 1, "mrr": 1, "falseNoMatch": 1, "falseResolve": 1}


def test_a_served_query_that_gets_no_match_is_a_false_no_match() -> None:
    queries = [LabelledQuery(str(number), ("A",)) for number in range(4)] + [LabelledQuery("out", ())]
    results = [answered("A", 0.9)] * 3 + [answered("A", 0.1, "no_match")] * 2
    figures = evaluate(queries, results).figures
    assert (figures["falseNoMatch"], figures["falseResolve"]) == (1 / 4, 0)


def test_decisions_are_counted_over_all_queries_and_by_stratum() -> None:
    queries = [LabelledQuery("x", ("A",), "vague"), LabelledQuery("y", (), "out")]
    found = evaluate(queries, [answered("AB", 1.0), answered("AB", 0.9)]).to_dict()
    assert (found["decisions"]["resolvedRight"], found["decisions"]["resolvedWrong"]) == (1, 1)
    assert found["strata"]["vague"]["decisions"]["resolvedRight"] == 1
    assert found["strata"]["out"]["decisions"]["resolvedWrong"] == 1


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


def test_the_interval_of_a_share_is_as_wide_as_its_rows_allow() -> None:
    found = evaluate([LabelledQuery("x", ("A",))], [answered("A", 1.0)])
    assert found.counts["precision"] == 1
    assert found.intervals["precision"] == pytest.approx((0.2065, 1.0), abs=1e-3)
    assert wilson(45, 50) == pytest.approx((0.7864, 0.9565), abs=1e-3)


def test_other_costs_change_the_decisions_but_not_those_of_names() -> None:
    few = MatchResult("x", "no_match", False, (Match("A", 0.2, "embedding"), Match("B", 0.1, "embedding")), 0.6)
    named = MatchResult("A", "resolved", False, (Match("A", 1.0, "exact"),))
    found = decided_with([few, named], NAMED_COSTS["offer"])
    assert [result.decision for result in found] == ["ambiguous", "resolved"]
