import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from tests.toy import BOOK, ToyEncoder

Make = Callable[[PhraseBook], Matcher]
ODD_PHRASES = {
    "100 kB of words": "undo " * 20_000,
    "100 kB without space": "x" * 100_000,
    "emoji": "🙂🤖",
    "control characters": "\x00\x01\x7f",
    "punctuation": "¿?!",
    "Arabic": "كيف أتراجع عن التغييرات",
    "Chinese": "如何撤销更改",
    "lone surrogate": "\ud800",
    "zero width": "\u200b",
}
ODD_BOOKS = {
    "one label": PhraseBook((Label("Only"),)),
    "no phrases": PhraseBook((Label("Undo"), Label("Picture"))),
    "no phrases, some out of scope": PhraseBook((Label("Undo"), Label("Picture")), ("cost",)),
    "zero vectors": PhraseBook((Label("zzz", ("yyy",)), Label("www", ("vvv",)))),
    "identical phrases": PhraseBook(
        (Label("A", phrasings=("undo it", "same")), Label("B", phrasings=("undo it", "same")))
    ),
    "punctuation as names": PhraseBook((Label("??"), Label("!!"), Label("🙂"))),
    "100 kB phrasing": PhraseBook((Label("A", phrasings=("undo " * 20_000,)), Label("B"))),
    "label equal to an out-of-scope phrase": PhraseBook((Label("undo"), Label("B")), ("undo",)),
}


def built(book: PhraseBook) -> Matcher:
    return Matcher.build(book, ToyEncoder())


@pytest.fixture
def makes() -> list[Make]:
    return [built, Matcher.degraded]


def assert_sensible(matcher: Matcher, phrase: str, case: str = "") -> None:
    confidences = [match.match_confidence for match in matcher.match(phrase).matches]
    assert len(confidences) in (1, min(3, len(matcher.names))), case
    assert all(0 <= confidence <= 1 for confidence in confidences), case
    assert sum(confidences) <= 1 + 1e-9, case
    assert all(math.isfinite(part) for one in matcher.explain(phrase).candidates for part in one.parts.values()), case


def test_an_odd_phrase_gets_probabilities(makes: list[Make]) -> None:
    for make in makes:
        for case, phrase in ODD_PHRASES.items():
            assert_sensible(make(BOOK), phrase, case)


def test_an_odd_catalog_gives_probabilities(makes: list[Make]) -> None:
    for make in makes:
        for case, book in ODD_BOOKS.items():
            matcher = make(book)
            for phrase in ("undo that", "how is this", "🙂 ?"):
                assert_sensible(matcher, phrase, case)


@settings(deadline=None, max_examples=50)
@given(st.text(st.characters()).filter(str.strip))
def test_any_text_at_all_gets_probabilities(phrase: str) -> None:
    assert_sensible(Matcher.degraded(BOOK), phrase)


def test_identical_phrases_under_two_labels_are_not_resolved(makes: list[Make]) -> None:
    for make in makes:
        result = make(ODD_BOOKS["identical phrases"]).match("undo it")
        assert result.decision == "ambiguous", make
        assert result.matches[0].match_confidence == pytest.approx(result.matches[1].match_confidence, abs=1e-5), make


def test_a_phrase_unlike_the_whole_catalog_is_not_resolved(makes: list[Make]) -> None:
    for make in makes:
        for phrase in ["🙂🤖", "如何撤销更改", "¿?!", "\x00\x01"]:
            assert make(BOOK).match(phrase).decision != "resolved", phrase


def test_a_name_is_found_in_an_odd_catalog(makes: list[Make]) -> None:
    for make in makes:
        assert make(ODD_BOOKS["punctuation as names"]).match(" ! !").matches[0].name == "!!", make
        assert make(ODD_BOOKS["label equal to an out-of-scope phrase"]).match("Undo").decision == "resolved", make
