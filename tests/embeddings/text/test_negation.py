import re
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.text import negation
from embeddings.text.negation import MAX_REFUSALS, is_negative, refusals

# The words of the openings themselves, so that many of the texts made of them refuse something.
WORDS = sorted(
    {*re.findall(r"[a-z]+(?:'[a-z]+)?", negation._OPENING.pattern.replace("\\s", " ")), "n't", "'", "the", "I"}
)


@settings(deadline=None, max_examples=300)
@given(st.lists(st.one_of(st.sampled_from(WORDS), st.sampled_from([".", ",", "; ", "STOP", "No", "ſkip"])), max_size=8))
def test_a_text_without_a_sign_of_it_refuses_nothing(parts: list[str]) -> None:
    plain = " ".join(parts)
    assert negation._may_refuse(plain) or not negation._OPENING.search(plain)


def test_most_texts_have_no_sign_of_a_refusal() -> None:
    for plain in ["how do i resume a session", "connect my own tools", "know who", ""]:
        assert not negation._may_refuse(plain), plain


def test_what_is_not_wanted_is_taken_out() -> None:
    cases = [
        ("I do NOT want to cancel my order, I want to change it", "cancel my order", "I want to change it"),
        ("I don’t want a refund but a new lamp", "a refund", "a new lamp"),
        ("I'm not asking for a loan. What is my balance?", "a loan", "What is my balance?"),
        ("Please do not cancel anything. Where do I park?", "cancel anything", "Where do I park?"),
        ("instead of a refund I'd like an exchange", "a refund", "I'd like an exchange"),
        ("rather than closing it, open a second one", "closing it", "open a second one"),
        ("not a refund, but where is my parcel", "a refund", "where is my parcel"),
        ("I have no intention of cancelling my trip", "cancelling my trip", ""),
        ("I'm not cancelling my order, I just want to move it", "cancelling my order", "I just want to move it"),
        ("I don't want it to write tests, it should review", "write tests", "it should review"),
    ]
    for message, refused, rest in cases:
        kept, found = refusals(message)
        assert [refusal.what for refusal in found] == [refused], message
        assert kept == rest, message


def test_a_negative_word_that_is_the_need_refuses_nothing() -> None:
    cases = [
        "my card isn't accepted",
        "I can't log in",
        "it does not ask me for permission",
        "it runs commands without asking me",
        "I don't want to fly any more",
        "I don't want to approve every command",
        "I don't want it to touch the network",
        "can I use butter instead of oil",
        "please don't forget that our server is called Bruno",
        "I don't know my password",
    ]
    for message in cases:
        assert refusals(message) == (message, ()), message


def test_the_words_of_a_refusal_are_kept_for_comparison() -> None:
    assert refusals("I don't want to cancel.")[1][0].said == "I don't want to cancel"


def test_the_number_of_refusals_is_bounded() -> None:
    assert len(refusals("I don't want to pay. " * 20)[1]) == MAX_REFUSALS


def test_a_long_text_is_read_in_linear_time() -> None:
    for part in ["not ", "I don't want ", "i'm not going ", "no a ", "' ", "it isn't a "]:
        start = time.perf_counter()
        refusals(part * 5000)
        assert time.perf_counter() - start < 2, part


def test_negative_words_are_recognized() -> None:
    assert is_negative("don’t ask")
    assert not is_negative("notable nodes")
