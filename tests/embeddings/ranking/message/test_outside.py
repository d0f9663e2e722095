"""Phrases that a catalog lists as out of scope."""

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from tests.toy import ToyEncoder

TOOLS = (
    Label("create issue", description="Opens a new issue in the tracker"),
    Label("close issue", description="Closes an issue of the tracker"),
)


def matcher(*out_of_scope: str) -> Matcher:
    return Matcher.build(PhraseBook(TOOLS, out_of_scope), ToyEncoder())


def test_a_listed_phrase_fits_no_label() -> None:
    for phrase in ["close the tracker", "Close the tracker!", "close  THE tracker"]:
        assert matcher().match(phrase).none_confidence < 0.9, phrase
        result = matcher("close the tracker").match(phrase)
        assert result.decision == "no_match", phrase
        assert result.none_confidence > 0.998, phrase
        assert sum(match.match_confidence for match in result.matches) < 0.002, phrase


def test_without_the_model_a_listed_phrase_fits_no_label_either() -> None:
    assert Matcher.degraded(PhraseBook(TOOLS, ("close the tracker",))).match("close the tracker").decision == "no_match"


def test_another_phrase_is_ranked_as_ever() -> None:
    assert matcher("close the tracker").match("open a new issue").matches[0].name == "create issue"


def test_a_phrase_that_is_also_one_of_a_label_is_ranked() -> None:
    book = PhraseBook(
        (Label("close issue", phrasings=("close the tracker", "shut it")), TOOLS[0]), ("close the tracker",)
    )
    assert Matcher.build(book, ToyEncoder()).match("close the tracker").none_confidence < 0.998


def test_a_name_is_its_label_though_it_is_listed() -> None:
    assert matcher("close issue").match("close issue").decision == "resolved"
