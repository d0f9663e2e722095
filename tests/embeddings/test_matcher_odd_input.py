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


@pytest.fixture(params=[built, Matcher.degraded], ids=["full", "degraded"])
def make(request: pytest.FixtureRequest) -> Make:
    chosen: Make = request.param
    return chosen


def assert_sensible(matcher: Matcher, phrase: str) -> None:
    confidences = [match.match_confidence for match in matcher.match(phrase).matches]
    assert len(confidences) in (1, min(3, len(matcher.names)))
    assert all(0 <= confidence <= 1 for confidence in confidences)
    assert sum(confidences) <= 1 + 1e-9
    assert all(math.isfinite(part) for case in matcher.explain(phrase).candidates for part in case.parts.values())


@pytest.mark.parametrize("phrase", ODD_PHRASES.values(), ids=ODD_PHRASES.keys())
def test_an_odd_phrase_gets_probabilities(make: Make, phrase: str) -> None:
    assert_sensible(make(BOOK), phrase)


@pytest.mark.parametrize("book", ODD_BOOKS.values(), ids=ODD_BOOKS.keys())
def test_an_odd_catalog_gives_probabilities(make: Make, book: PhraseBook) -> None:
    matcher = make(book)
    for phrase in ("undo that", "how is this", "🙂 ?"):
        assert_sensible(matcher, phrase)


@settings(deadline=None, max_examples=50)
@given(st.text(st.characters()).filter(str.strip))
def test_any_text_at_all_gets_probabilities(phrase: str) -> None:
    assert_sensible(Matcher.degraded(BOOK), phrase)


def test_identical_phrases_under_two_labels_are_not_resolved(make: Make) -> None:
    result = make(ODD_BOOKS["identical phrases"]).match("undo it")
    assert result.decision == "ambiguous"
    assert result.matches[0].match_confidence == pytest.approx(result.matches[1].match_confidence, abs=1e-5)


@pytest.mark.parametrize("phrase", ["🙂🤖", "如何撤销更改", "¿?!", "\x00\x01"])
def test_a_phrase_unlike_the_whole_catalog_is_not_resolved(make: Make, phrase: str) -> None:
    assert make(BOOK).match(phrase).decision != "resolved"


def test_a_name_is_found_in_an_odd_catalog(make: Make) -> None:
    assert make(ODD_BOOKS["punctuation as names"]).match(" ! !").matches[0].name == "!!"
    assert make(ODD_BOOKS["label equal to an out-of-scope phrase"]).match("Undo").decision == "resolved"
