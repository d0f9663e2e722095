import math

import pytest

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from embeddings.ranking.explanation import NONE_NAME
from tests.toy import BOOK


@pytest.fixture
def both(matcher: Matcher) -> list[Matcher]:
    return [matcher, Matcher.degraded(BOOK)]


def test_the_parts_add_up_to_the_log_odds(both: list[Matcher]) -> None:
    for either in both:
        for phrase in ["undo mcp", "rewnd", "see the cost"]:
            *_, first, none = either.explain(phrase).candidates
            expected = math.log(first.match_confidence / none.match_confidence)
            assert sum(first.parts.values()) - sum(none.parts.values()) == pytest.approx(expected, abs=1e-4), phrase


def test_candidates_are_the_matches_then_none(both: list[Matcher]) -> None:
    for either in both:
        matches = either.match("undo mcp", top=2).matches
        candidates = either.explain("undo mcp", top=2).candidates
        assert [case.name for case in candidates] == [*(match.name for match in matches), NONE_NAME], either.is_degraded
        assert [case.match_confidence for case in candidates[:2]] == [match.match_confidence for match in matches], (
            either.is_degraded
        )


def test_the_phrase_of_a_label_with_the_nearest_letters_is_shown_without_the_model() -> None:
    cases = {case.name: case for case in Matcher.degraded(BOOK).explain("can he see a picture").candidates}
    assert (cases["Vision"].phrase, cases["Vision"].kind) == ("can it see a picture", "phrasing")
    assert 0.5 < cases["Vision"].nearness < 1


def test_the_phrase_of_a_label_with_the_nearest_meaning_is_shown(matcher: Matcher) -> None:
    cases = {case.name: case for case in matcher.explain("undo").candidates}
    assert (cases["Checkpoints"].phrase, cases["Checkpoints"].kind) == ("rewind", "alias")
    assert cases["Checkpoints"].nearness == pytest.approx(1)
    assert cases["Vision"].nearness == 0


def test_none_shows_the_nearest_out_of_scope_phrase() -> None:
    assert Matcher.degraded(BOOK).explain("is the service on").candidates[-1].phrase == "is the service down"


def test_none_without_phrases_shows_none() -> None:
    case = Matcher.degraded(PhraseBook((Label("A"),))).explain("b").candidates[-1]
    assert (case.name, case.phrase, case.kind, case.nearness) == (NONE_NAME, "", "", 0.0)


def test_a_name_or_alias_that_decides_is_told(both: list[Matcher]) -> None:
    for either in both:
        cases: list[tuple[str, str | None]] = [("checkpoints", "Checkpoints"), ("MCP", "MCP Support"), ("undo", None)]
        for phrase, named in cases:
            assert either.explain(phrase).named == named, phrase
            assert either.explain(phrase).to_dict().get("named") == named, phrase


def test_a_shared_alias_decides_nothing() -> None:
    book = PhraseBook((Label("A", ("both",)), Label("B", ("both",))))
    assert Matcher.degraded(book).explain("both").named is None


def test_the_corrected_reading_is_told_only_if_it_differs(both: list[Matcher]) -> None:
    for either in both:
        assert either.explain("rewnd it").to_dict()["readAs"] == "rewind it", either.is_degraded
        assert "readAs" not in either.explain("rewind it").to_dict(), either.is_degraded


def test_a_signal_without_a_part_is_left_out() -> None:
    cases = Matcher.degraded(BOOK).explain("images of it").candidates
    assert set(cases[0].parts) == {"words", "coverage", "spelling"}
    assert "none" in cases[-1].parts


def test_the_json_value_is_rounded_and_camel_case(both: list[Matcher]) -> None:
    for either in both:
        case = either.explain("undo the picture please").candidates[0]
        value = case.to_dict()
        assert list(value) == ["name", "matchConfidence", "parts", "phrase", "kind", "nearness"], either.is_degraded
        assert value["matchConfidence"] == round(case.match_confidence, 3), either.is_degraded
        assert value["nearness"] == round(case.nearness, 3), either.is_degraded
        assert value["parts"] == {signal: round(part, 3) for signal, part in case.parts.items()}, either.is_degraded


def test_the_text_names_reading_decider_candidates_and_phrases(both: list[Matcher]) -> None:
    for either in both:
        text = either.explain("rewnd").to_text()
        assert "read as 'rewind'" in text, either.is_degraded
        assert "Checkpoints: " in text, either.is_degraded
        assert "nearest alias" in text, either.is_degraded
        assert "names Checkpoints outright" in either.explain("rewind").to_text(), either.is_degraded


def test_the_three_nearest_phrases_are_told_nearest_first(both: list[Matcher]) -> None:
    for either in both:
        nearest = either.explain("undo mcp").candidates[0].nearest
        assert len(nearest) == 3, either.is_degraded
        assert [phrase.nearness for phrase in nearest] == sorted(
            (phrase.nearness for phrase in nearest), reverse=True
        ), either.is_degraded


def test_the_nearest_phrase_is_the_first_of_them(both: list[Matcher]) -> None:
    for either in both:
        case = either.explain("undo mcp").candidates[0]
        assert (case.phrase, case.kind, case.nearness) == (
            case.nearest[0].text,
            case.nearest[0].kind,
            case.nearest[0].nearness,
        ), either.is_degraded


def test_a_text_that_a_label_has_twice_is_told_once() -> None:
    book = PhraseBook((Label("Undo", ("go back",), phrasings=("go back", "step back")), Label("B")))
    texts = [phrase.text for phrase in Matcher.degraded(book).explain("go back now").candidates[0].nearest]
    assert sorted(texts) == ["Undo", "go back", "step back"]


def test_an_example_that_a_model_wrote_is_told_as_generated() -> None:
    label = Label("Undo", phrasings=("step back", "revert it"), generated=frozenset({"step back"}))
    matcher = Matcher.degraded(PhraseBook((label, Label("B"))))
    kinds = {phrase.text: phrase.kind for phrase in matcher.explain("step back now").candidates[0].nearest}
    assert kinds == {"step back": "generated", "revert it": "phrasing", "Undo": "name"}
