from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.text import spelling
from embeddings.text.spelling import LONGEST_CORRECTED, SpellingCorrector

CORRECTOR = SpellingCorrector(["rewind the checkpoints", "connect outside tools", "tools", "see a picture", "hook it"])


def test_an_unknown_word_becomes_the_nearest_word_of_the_catalog() -> None:
    cases = [
        ("rewnd", "rewind"),
        ("toosl", "tools"),
        ("chekpoitns", "checkpoints"),
        ("Plug in outsdie tools?", "plug in outside tools"),
    ]
    for typed, read in cases:
        assert CORRECTOR.correct(typed) == read, typed


def test_a_phrase_with_nothing_to_correct_comes_back_as_it_is() -> None:
    for phrase in [
        "Connect the TOOLS!",
        "hok it",
        "hoks42",
        "tolz",
        "revinf",
        "",
        "🙂",
        "日本語",
        "\ud800",
        "zzzzzzzz",
    ]:
        assert CORRECTOR.correct(phrase) == phrase, phrase


def test_a_word_that_is_known_elsewhere_is_left_alone() -> None:
    assert CORRECTOR.correct("rewinds", lambda word: word == "rewinds") == "rewinds"
    assert CORRECTOR.correct("rewinds") == "rewind"


def test_two_slips_are_forgiven_in_long_words_only() -> None:
    corrector = SpellingCorrector(["picture", "image"])
    assert corrector.correct("pyctore") == "picture"
    assert corrector.correct("imyde") == "imyde"


def test_of_near_words_first_letter_then_frequency_then_alphabet_decide() -> None:
    assert SpellingCorrector(["boat boat", "boat", "coal"]).correct("coat") == "coal"
    assert SpellingCorrector(["tabs", "tags", "tags of it"]).correct("taxs") == "tags"
    assert SpellingCorrector(["tags", "tabs"]).correct("taxs") == "tabs"


def test_a_phrase_over_the_limit_is_not_corrected() -> None:
    longest = "rewnd".rjust(LONGEST_CORRECTED)
    assert CORRECTOR.correct(longest) == "rewind"
    assert CORRECTOR.correct(" " + longest) == " " + longest


def test_an_empty_catalog_corrects_nothing() -> None:
    assert SpellingCorrector([]).correct("rewnd") == "rewnd"


@settings(deadline=None)
@given(
    st.lists(st.text(st.sampled_from("abcdeéя\U00010428"), min_size=3, max_size=9), max_size=20),
    st.text(st.sampled_from("abcdeéя\U00010428"), min_size=4, max_size=9),
)
def test_comparing_letters_first_leaves_out_no_near_word(catalog: list[str], typed: str) -> None:
    corrector = SpellingCorrector(catalog)
    with mock.patch.object(spelling, "FEW_WORDS", 1):
        found = corrector.correct(typed)
    with mock.patch.object(spelling, "FEW_WORDS", 1000):
        assert found == corrector.correct(typed)


def test_a_longer_word_is_no_slip_of_the_word_in_it() -> None:
    corrector = SpellingCorrector(["stick to the mail", "spam", "refund"])
    for word in ["sticker", "gmail", "spamming"]:
        assert corrector.correct(word) == word
    assert corrector.correct("refunds stikc") == "refund stick"
