"""Messages of several parts, with the toy encoder."""

import pytest

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from embeddings.ranking.message import mostly_english
from tests.toy import ToyEncoder

BOOK = PhraseBook(
    labels=(
        Label("Checkpoints", (), "", ("undo my edits", "rewind the files", "restore it", "go back please")),
        Label("MCP Support", (), "", ("connect outside tools", "plug in tools", "outside tools please", "connect it")),
        Label("Vision", (), "", ("see a picture", "can it see an image", "an image please", "picture input")),
    ),
    out_of_scope=("how much does it cost", "is the service down", "good morning to you", "what a nice day"),
)
STORY = "It was a nice day and we had good food in town. " * 30


@pytest.fixture(scope="module")
def matcher() -> Matcher:
    return Matcher.build(BOOK, ToyEncoder())


def test_two_needs_are_ambiguous_between_both(matcher: Matcher) -> None:
    result = matcher.match("can I undo my edits, and can it see a picture?")
    assert result.decision == "ambiguous"
    assert {match.name for match in result.matches[:2]} == {"Checkpoints", "Vision"}
    assert result.notes == ("several_needs",)


def test_one_need_in_two_clauses_has_no_note(matcher: Matcher) -> None:
    for phrase in ["undo my edits and restore my files", "I was in town and want to see a picture"]:
        assert matcher.match(phrase).notes == (), phrase


def test_the_last_sentence_of_a_long_message_counts(matcher: Matcher) -> None:
    result = matcher.match(STORY + "So please restore my files.")
    assert result.matches[0].name == "Checkpoints"
    assert result.notes == ()


def test_two_requests_in_a_long_message_are_noted(matcher: Matcher) -> None:
    result = matcher.match(f"Please undo my edits. {STORY}Can it see a picture?")
    assert result.notes == ("several_needs",)


def test_a_text_that_is_not_read_to_its_end_says_so(matcher: Matcher) -> None:
    assert "truncated" in matcher.match(STORY * 20).notes


def test_what_is_refused_is_not_the_answer(matcher: Matcher) -> None:
    result = matcher.match("I do NOT want to undo my edits, I want to see a picture")
    assert result.matches[0].name == "Vision"
    assert result.notes == ("negated",)


def test_a_refusal_alone_does_not_resolve(matcher: Matcher) -> None:
    assert matcher.match("undo my edits now").decision == "resolved"
    result = matcher.match("I do not want to undo my edits")
    assert result.decision != "resolved"
    assert result.notes == ("negated",)


def test_a_label_whose_examples_are_refusals_is_meant(matcher: Matcher) -> None:
    label = Label("Permissions", (), "", ("I don't want to connect tools", "never plug in tools"))
    asked = Matcher.build(PhraseBook((BOOK.labels[0], label, BOOK.labels[2]), BOOK.out_of_scope), ToyEncoder())
    assert asked.match("I don't want to connect tools here").notes == ()


def test_confidences_of_any_message_add_up_to_one(matcher: Matcher) -> None:
    cases = [
        "undo my edits, and can it see a picture?",
        STORY + "restore it",
        "I do not want to undo, I want to see a picture",
    ]
    for phrase in cases:
        for degraded in [False, True]:
            result = (Matcher.degraded(BOOK) if degraded else matcher).match(phrase)
            total = sum(match.match_confidence for match in result.matches) + result.none_confidence
            assert total == pytest.approx(1, abs=0.002), (phrase, degraded)


def test_the_explanation_has_the_confidences_of_the_match(matcher: Matcher) -> None:
    phrase = "can I undo my edits, and can it see a picture?"
    explained = {found.name: found.match_confidence for found in matcher.explain(phrase).candidates}
    for match in matcher.match(phrase).matches:
        assert explained[match.name] == match.match_confidence


def test_a_certain_match_leaves_nothing_for_none(matcher: Matcher) -> None:
    assert matcher.match("checkpoints").none_confidence == 0


class TestOtherLanguages:
    def matcher(self, languages: tuple[str, ...], book: PhraseBook = BOOK) -> Matcher:
        encoder = ToyEncoder()
        encoder.languages = languages
        return Matcher.build(book, encoder)

    def test_a_foreign_phrase_is_noted_and_less_sure(self) -> None:
        noted = self.matcher(("en",)).match("ich möchte bitte tools picture")
        plain = self.matcher(()).match("ich möchte bitte tools picture")
        assert (noted.notes, plain.notes) == (("not_english",), ())
        assert noted.matches[0].name == plain.matches[0].name
        assert noted.matches[0].match_confidence < plain.matches[0].match_confidence

    def test_a_model_of_other_languages_notes_nothing(self) -> None:
        cases: list[tuple[str, ...]] = [(), ("en", "de"), ("de",)]
        for languages in cases:
            assert self.matcher(languages).match("ich möchte bitte tools picture").notes == (), languages

    def test_a_name_is_certain_in_any_language(self) -> None:
        book = PhraseBook((Label("Rückgängig machen", ("取り消す",)), *BOOK.labels[1:]), BOOK.out_of_scope)
        for phrase in ("rückgängig machen", "取り消す"):
            result = self.matcher(("en",), book).match(phrase)
            assert (result.decision, result.notes) == ("resolved", ())

    def test_a_catalog_in_another_language_notes_nothing(self) -> None:
        book = PhraseBook((Label("Koffer", (), "", ("wo ist mein Koffer", "mein Koffer ist nicht da")), Label("撤销")))
        assert self.matcher(("en",), book).match("ich habe keinen Koffer").notes == ()

    def test_half_of_the_texts_are_not_most_of_them(self) -> None:
        assert not mostly_english(["undo my edits", "撤销"], lambda word: True)
        assert mostly_english(["undo my edits", "see a picture", "撤销"], lambda word: True)
