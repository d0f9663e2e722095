import re
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from embeddings.text import clauses as module
from embeddings.text.clauses import clauses, is_request, pieces, split_sentences


def texts(message: str) -> list[str]:
    return [clause.text for clause in clauses(message)]


def test_needs_that_are_joined_become_clauses() -> None:
    cases: list[tuple[str, list[str]]] = [
        ("My parcel never came, I want my money back", ["My parcel never came", "I want my money back"]),
        ("write unit tests and then open a pull request", ["write unit tests", "open a pull request"]),
        ("cancel the trip; how do I check in?", ["cancel the trip", "how do I check in?"]),
        ("Is it late? Also need a vegan meal.", ["Is it late?", "need a vegan meal."]),
        ("explain this function and write docstrings for it", ["explain this function", "write docstrings for it"]),
    ]
    for message, expected in cases:
        assert texts(message) == expected, message


def test_short_and_dependent_pieces_stay_with_their_neighbour() -> None:
    cases = [
        "find the bug and fix it",
        "bread and butter",
        "open the file in the folder, without asking me",
        "the flight on Monday, which is late",
        "ask Dr. Hill about it",
    ]
    for message in cases:
        assert len(texts(message)) == 1, message


def test_a_clause_knows_its_form() -> None:
    first, second = clauses("My card is gone. Also send me a new one please")
    assert (first.asks, first.added) == (False, False)
    assert (second.asks, second.added) == (True, True)


def test_sentences_end_at_marks_of_any_script_and_at_lines() -> None:
    assert split_sentences("One. Two!\nThree 四。五") == ["One.", "Two!", "Three 四。", "五"]


def test_a_request_is_recognized() -> None:
    for text in ["Could you help", "So we need a new one", "is it late?", "Where is it"]:
        assert is_request(text), text


def test_a_statement_is_no_request() -> None:
    assert not is_request("It rained on Monday.")


def test_odd_texts_have_clauses_without_an_error() -> None:
    for text in ["", " ", ",,,", "and", "?"]:
        assert len(clauses(text)) <= 1, text


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
