from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.ranking.message import MIN_CONFIDENCE, MIN_CONFIDENCE_ADDED, read_needs
from embeddings.ranking.ranking import Ranking
from embeddings.text.clauses import Clause

CLAUSES = st.builds(Clause, st.sampled_from(["go on", "resume the session", "see"]), st.booleans(), st.booleans())
SURE, UNSURE = [0.98, 0.01, 0.01], [0.3, 0.3, 0.4]


def ranking(confidences: list[float]) -> Ranking:
    values = np.array(confidences)
    return Ranking(np.zeros((3, 1), np.float32), np.zeros(1), values, values[:-1], np.zeros(1, np.float32), "read")


def plain_pairs(parts: list[Clause], rankings: list[Ranking]) -> bool:
    """Return whether any two clauses with different labels are both sure enough to be two needs."""
    for (first, one), (second, other) in combinations(zip(parts, rankings, strict=True), 2):
        needed = MIN_CONFIDENCE_ADDED if second.added else MIN_CONFIDENCE[first.asks + second.asks]
        least = min(one.confidence(one.best), other.confidence(other.best))
        if one.best != other.best and least >= needed:
            return True
    return False


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(CLAUSES, st.sampled_from([SURE, [0.01, 0.98, 0.01], [0.7, 0.1, 0.2], [0.1, 0.55, 0.35], UNSURE])),
        min_size=2,
        max_size=4,
    )
)
def test_two_needs_are_found_where_ranking_every_clause_finds_them(clauses: list[tuple[Clause, list[float]]]) -> None:
    parts, rankings = [part for part, _ in clauses], [ranking(values) for _, values in clauses]
    reading = read_needs(parts, ranking(UNSURE), rankings.__getitem__)
    assert (reading.notes == ("several_needs",)) == plain_pairs(parts, rankings)


def test_both_needs_count_alike() -> None:
    parts = [Clause("resume the session", True, False), Clause("see a picture", True, False)]
    rankings = [ranking(SURE), ranking([0.01, 0.98, 0.01])]
    first, second, _ = read_needs(parts, ranking(UNSURE), rankings.__getitem__).ranking.confidences
    assert first == pytest.approx(second)


@pytest.mark.parametrize(("shorter", "ranked"), [(UNSURE, [1]), (SURE, [1, 0])])
def test_the_longer_clause_is_ranked_only_if_the_shorter_is_sure(shorter: list[float], ranked: list[int]) -> None:
    parts = [Clause("resume the session", True, False), Clause("see a picture", True, False)]
    asked: list[int] = []

    def rank_clause(place: int) -> Ranking:
        asked.append(place)
        return ranking([SURE, shorter][place])

    read_needs(parts, ranking(UNSURE), rank_clause)
    assert asked == ranked
