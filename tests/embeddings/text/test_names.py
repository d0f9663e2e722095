import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.text.names import LONGEST_SEARCHED, NameIndex, runs

BOOK = PhraseBook(
    (
        Label("Sub-Agents", ("helpers", "parallel workers"), phrasings=("a phrasing",)),
        Label("Model Context Protocol", ("mcp", "helpers")),
        Label("C++"),
    )
)
INDEX = NameIndex([(label.name, label.aliases) for label in BOOK.labels])


def test_a_whole_name_is_found_whatever_its_case_and_punctuation() -> None:
    for phrase, label in [("sub agents", 0), ("MODEL-context protocol?", 1), ("c++", 2)]:
        assert INDEX.lookup(phrase) == ([label], "exact"), phrase
    for phrase in ["a phrasing", "sub", "help", "", "sub agents please"]:
        assert INDEX.lookup(phrase)[0] == [], phrase


def test_an_alias_gives_every_label_that_has_it() -> None:
    cases: list[tuple[str, list[int]]] = [("MCP", [1]), ("helpers!", [0, 1])]
    for phrase, labels in cases:
        assert INDEX.lookup(phrase) == (labels, "alias"), phrase


ALIKE = NameIndex(
    [("get-user", ()), ("get_user", ("person",)), ("Search", ()), ("Search", ())], ["1", "2", "a/s", "b/s"]
)


def test_names_that_fold_alike_are_shared_unless_one_is_spelled_exactly() -> None:
    cases: list[tuple[str, list[int]]] = [
        ("get user", [0, 1]),
        ("get_user", [1]),
        (" get-user ", [0]),
        ("search", [2, 3]),
        ("Search", [2, 3]),
    ]
    for phrase, labels in cases:
        assert ALIKE.lookup(phrase) == (labels, "exact"), phrase


def test_an_id_names_its_label_if_it_is_given_exactly() -> None:
    cases: list[tuple[str, list[int]]] = [("b/s", [3]), ("2", [1]), ("B/S", []), ("b s", [])]
    for phrase, labels in cases:
        assert ALIKE.lookup(phrase) == (labels, "exact"), phrase


def test_a_name_comes_before_an_alias_and_an_id() -> None:
    index = NameIndex([("Refund", ("Order",)), ("Order", ()), ("Delivery", ())], ["", "", "Refund"])
    assert index.lookup("order") == ([1], "exact")
    assert index.lookup("Refund") == ([0], "exact")


def test_names_that_several_labels_have_are_known() -> None:
    assert ALIKE.shared == {"get user", "search"}


def test_the_overlap_is_the_shared_run_over_the_longer_text() -> None:
    cases: list[tuple[str, list[float]]] = [
        ("use mcp", [0, 3 / 7, 0]),
        ("model context", [0, 13 / 22, 0]),
        ("workers", [7 / 16, 0, 0]),
        ("helpers", [1, 1, 0]),
        ("the sub-agents and mcp", [10 / 22, 3 / 22, 0]),
        ("context model", [0, 0, 0]),
        ("work", [0, 0, 0]),
        ("", [0, 0, 0]),
    ]
    for phrase, shares in cases:
        np.testing.assert_allclose(INDEX.overlaps(phrase), shares, rtol=1e-6)


def test_a_part_is_measured_against_the_shortest_name_that_has_it() -> None:
    index = NameIndex([("code review bot", ("review bot", "the code review bot"))])
    assert index.overlaps("review")[0] == pytest.approx(6 / 10)


def test_an_alias_under_measurement_does_not_count_as_a_name() -> None:
    assert INDEX.overlaps("mcp", besides="mcp").tolist() == [0, 0, 0]


def test_other_names_within_the_alias_under_measurement_still_count() -> None:
    index = NameIndex(
        [
            (label.name, label.aliases)
            for label in (
                Label("workers"),
                Label("B", ("parallel workers",)),
            )
        ]
    )
    np.testing.assert_allclose(index.overlaps("parallel workers", besides="parallel workers"), [7 / 16, 0])


def test_words_past_the_limit_are_not_searched() -> None:
    assert INDEX.overlaps("word " * (LONGEST_SEARCHED - 1) + "mcp")[1] > 0
    assert INDEX.overlaps("word " * LONGEST_SEARCHED + "mcp")[1] == 0


@settings(deadline=None)
@given(st.lists(st.sampled_from("abcd"), max_size=12), st.frozensets(st.sampled_from("abcd")))
def test_runs_of_known_words_are_those_of_all_runs_that_have_no_other_word(
    words: list[str], known: frozenset[str]
) -> None:
    assert runs(words, known) == [run for run in runs(words) if known.issuperset(run.split())]
