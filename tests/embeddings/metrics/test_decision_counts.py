from embeddings.metrics import DecisionCounts, LabelledQuery, Outcomes
from embeddings.ranking.match_result import Decision
from tests.embeddings.metrics.answers import answered


def counted(gold: tuple[str, ...], names: str, decision: Decision) -> dict[str, int]:
    """Return the kinds of decision that were counted."""
    outcomes = Outcomes.of([LabelledQuery("q", gold)], [answered(names, 0.5, decision)])
    return {kind: count for kind, count in DecisionCounts.of(outcomes).to_dict().items() if count}


def test_each_query_is_counted_once_as_right_or_wrong() -> None:
    cases: list[tuple[tuple[str, ...], str, Decision, str]] = [
        (("A",), "ABC", "resolved", "resolvedRight"),
        (("A", "B"), "BCA", "resolved", "resolvedRight"),
        (("B",), "ABC", "resolved", "resolvedWrong"),
        ((), "ABC", "resolved", "resolvedWrong"),
        (("C",), "ABC", "ambiguous", "ambiguousRight"),
        (("D",), "ABC", "ambiguous", "ambiguousWrong"),
        (("D",), "ABCD", "ambiguous", "ambiguousWrong"),
        ((), "ABC", "ambiguous", "ambiguousWrong"),
        ((), "ABC", "no_match", "noMatchRight"),
        (("A",), "ABC", "no_match", "noMatchWrong"),
        (("D",), "ABC", "no_match", "noMatchWrong"),
    ]
    for gold, names, decision, kind in cases:
        assert counted(gold, names, decision) == {kind: 1}, gold
