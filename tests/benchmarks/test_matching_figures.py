"""The figures compare answers with the labels that were wanted."""

import numpy as np
import pytest

from benchmarks.labelled_data import Case
from benchmarks.matching_figures import Figures, figures, matthews
from benchmarks.peer import NOT_ANSWERED
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.metrics import LabelledQuery
from embeddings.ranking.match_result import Decision

BOOK = PhraseBook((Label("tea"), Label("bread")))
CASE = Case("made up", 0, BOOK, (LabelledQuery("a", ("tea",)), LabelledQuery("b", ("bread",)), LabelledQuery("c", ())))
SCORES = np.array([[0.9, 0.1], [0.6, 0.4], [0.3, 0.2]])


def measured(*decisions: Decision) -> Figures:
    return figures(CASE, SCORES, decisions=decisions)


def test_ranking_counts_served_queries_only() -> None:
    found = figures(CASE, SCORES)
    assert (found.top1, found.top3, found.auroc) == (0.5, 1.0, 1.0)


def test_a_label_that_was_not_answered_is_no_hit() -> None:
    scores = np.array([[NOT_ANSWERED, NOT_ANSWERED]] * 3)
    assert figures(CASE, scores).top3 == 0


def test_no_match_is_the_answer_to_a_query_that_nothing_serves() -> None:
    assert measured("resolved", "resolved", "no_match").overall == pytest.approx(2 / 3)


def test_shares_of_decisions_are_those_of_served_and_of_unserved_queries() -> None:
    found = measured("resolved", "no_match", "resolved")
    assert (found.served_none, found.unserved_none, found.unserved_resolved) == (0.5, 0.0, 1.0)


def test_without_unserved_queries_nothing_is_said_about_them() -> None:
    case = Case("made up", 0, BOOK, CASE.queries[:2])
    found = figures(case, SCORES[:2], decisions=["resolved", "resolved"])
    assert (found.auroc, found.unserved_none, found.unserved_resolved) == (None, None, None)


def test_correlation_is_one_for_right_answers_and_zero_for_the_same_answer() -> None:
    wanted = np.array([0, 1, 2, 1])
    assert matthews(wanted, wanted) == pytest.approx(1.0)
    assert matthews(np.zeros(4, dtype=np.int64), wanted) == 0


def test_correlation_of_two_classes_is_the_usual_one() -> None:
    given, wanted = np.array([1, 1, 1, 0, 0, 0]), np.array([1, 1, 0, 0, 0, 1])
    assert matthews(given, wanted) == pytest.approx((2 * 2 - 1 * 1) / 9)
