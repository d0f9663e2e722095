import re
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embeddings.text.message import clauses as module
from embeddings.text.message.clauses import clauses, is_request, pieces, split_sentences


def texts(message: str) -> list[str]:
    return [clause.text for clause in clauses(message)]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("My parcel never came, I want my money back", ["My parcel never came", "I want my money back"]),
        ("write unit tests and then open a pull request", ["write unit tests", "open a pull request"]),
        ("cancel the trip; how do I check in?", ["cancel the trip", "how do I check in?"]),
        ("Is it late? Also need a vegan meal.", ["Is it late?", "need a vegan meal."]),
        ("explain this function and write docstrings for it", ["explain this function", "write docstrings for it"]),
    ],
)
def test_needs_that_are_joined_become_clauses(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


@pytest.mark.parametrize(
    "message",
    [
        "find the bug and fix it",
        "bread and butter",
        "open the file in the folder, without asking me",
        "the flight on Monday, which is late",
        "ask Dr. Hill about it",
    ],
)
def test_short_and_dependent_pieces_stay_with_their_neighbour(message: str) -> None:
    assert len(texts(message)) == 1


def test_a_clause_knows_its_form() -> None:
    first, second = clauses("My card is gone. Also send me a new one please")
    assert (first.asks, first.added) == (False, False)
    assert (second.asks, second.added) == (True, True)


def test_sentences_end_at_marks_of_any_script_and_at_lines() -> None:
    assert split_sentences("One. Two!\nThree 四。五") == ["One.", "Two!", "Three 四。", "五"]


@pytest.mark.parametrize("text", ["Could you help", "So we need a new one", "is it late?", "Where is it"])
def test_a_request_is_recognized(text: str) -> None:
    assert is_request(text)


def test_a_statement_is_no_request() -> None:
    assert not is_request("It rained on Monday.")


@pytest.mark.parametrize("text", ["", " ", ",,,", "and", "?"])
def test_odd_texts_have_clauses_without_an_error(text: str) -> None:
    assert len(clauses(text)) <= 1


@given(
    st.lists(
        st.sampled_from(["a page", "and", "So", "then", "also", "plus", "show me", ",", "-", ".", " ", "\n", "x-y"])
    )
)
def test_a_text_without_marks_would_not_have_been_split(words: list[str]) -> None:
    text = " ".join(words)
    with mock.patch.object(module, "_MARKS", re.compile("")):
        split = pieces(text)
    assert pieces(text) == split
