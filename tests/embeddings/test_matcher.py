from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embeddings.errors import PhraseError
from embeddings.index.fitted_index import SIGNALS
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from embeddings.ranking.match_result import DEFAULT_TOP, Match, MatchResult
from embeddings.ranking.rankers import FullRanker
from embeddings.training.build import build_index
from tests.toy import BOOK, ToyEncoder

SHARED = PhraseBook((Label("A", ("both", "undo")), Label("B", ("both", "picture")), Label("C", ("outside",))))


@pytest.fixture
def both() -> list[Matcher]:
    return [Matcher.build(BOOK, ToyEncoder()), Matcher.degraded(BOOK)]


def test_a_name_is_certain(both: list[Matcher]) -> None:
    for either in both:
        for phrase in ["MCP Support", "mcp-support?", "  ＭＣＰ support "]:
            certain = (Match("MCP Support", 1.0, "exact"),)
            assert either.match(phrase) == MatchResult(phrase, "resolved", either.is_degraded, certain), phrase


def test_an_alias_of_one_label_is_certain(both: list[Matcher]) -> None:
    for either in both:
        assert either.match("REWIND!").matches == (Match("Checkpoints", 1.0, "alias"),), either.is_degraded
        assert either.match("REWIND!").decision == "resolved", either.is_degraded


def test_a_number_of_matches_is_returned_for_a_name_too(both: list[Matcher]) -> None:
    for either in both:
        for phrase in ["REWIND!", "vision"]:
            for top in [1, 2, 3]:
                result = either.match(phrase, top=top)
                assert (result.decision, result.none_confidence, len(result.matches)) == ("resolved", 0.0, top), (
                    phrase,
                    top,
                )
                assert result.matches[:1] == either.match(phrase).matches, (phrase, top)


def test_what_follows_a_name_is_in_the_order_of_its_words_alone_and_not_what_is_meant(both: list[Matcher]) -> None:
    for either in both:
        alone = [each.name for each in either.explain("rewind").candidates]
        first, *others = either.match("rewind", top=3).matches
        assert [each.name for each in others] == [name for name in alone[:-1] if name != first.name], either.is_degraded
        assert [each.match_confidence for each in others] == [0.0, 0.0], either.is_degraded
        assert {each.matched_by for each in others} <= {"embedding", "lexical"}, either.is_degraded


def test_a_name_alone_is_not_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    matcher = Matcher.build(BOOK, ToyEncoder())
    monkeypatch.setattr(matcher._now, "_open_ranker", lambda: pytest.fail("the name was ranked"))
    assert matcher.match("vision").matches == matcher.match("vision", top=1).matches


def test_a_shared_alias_is_ambiguous_with_equal_shares() -> None:
    result = Matcher.build(SHARED, ToyEncoder()).match("Both")
    assert result.decision == "ambiguous"
    assert {(match.name, match.match_confidence, match.matched_by) for match in result.matches[:2]} == {
        ("A", 0.5, "alias"),
        ("B", 0.5, "alias"),
    }
    assert result.matches[2] == Match("C", 0.0, "embedding")


def test_a_shared_alias_gives_no_more_matches_than_asked_for() -> None:
    assert len(Matcher.degraded(SHARED).match("both", top=1).matches) == 1


def test_a_name_wins_over_the_same_alias_of_another_label() -> None:
    book = PhraseBook((Label("A", ("b",)), Label("B")))
    assert Matcher.degraded(book).match("b").matches == (Match("B", 1.0, "exact"),)


def test_a_paraphrase_is_resolved_by_its_meaning(matcher: Matcher) -> None:
    for phrase, name in [("rewind back", "Checkpoints"), ("plug outside", "MCP Support"), ("see picture", "Vision")]:
        result = matcher.match(phrase)
        assert result.decision == "resolved", phrase
        assert (result.matches[0].name, result.matches[0].matched_by) == (name, "embedding"), phrase


def test_a_misspelt_alias_is_found_without_the_model() -> None:
    result = Matcher.degraded(BOOK).match("snapshts")
    assert (result.matches[0].name, result.matches[0].matched_by) == ("Checkpoints", "lexical")
    assert result.degraded


def test_a_match_that_the_model_would_have_put_lower_is_lexical(encoder: ToyEncoder) -> None:
    fitted = build_index(BOOK, encoder)
    weights = np.where([signal == "substring" for signal in SIGNALS], 5.0, 0.0)
    weights[SIGNALS.index("cosine")] = 0.001
    matches = (
        Matcher(fitted.corpus, lambda: FullRanker(replace(fitted, weights=weights), encoder), fitted)
        .match("undo mcp")
        .matches
    )
    assert (matches[0].name, matches[0].matched_by) == ("MCP Support", "lexical")
    assert (matches[1].name, matches[1].matched_by) == ("Checkpoints", "embedding")


def test_an_out_of_scope_phrase_fits_nothing(both: list[Matcher]) -> None:
    for either in both:
        result = either.match("how much does the service cost")
        assert result.decision == "no_match", either.is_degraded
        assert len(result.matches) == DEFAULT_TOP, either.is_degraded


def test_at_most_top_matches_come_back_best_first(both: list[Matcher]) -> None:
    for either in both:
        for top, count in [(1, 1), (2, 2), (3, 3), (50, 3)]:
            found = [match.match_confidence for match in either.match("see it", top).matches]
            assert len(found) == count, top
            assert found == sorted(found, reverse=True), top


def test_asking_for_no_match_is_refused(both: list[Matcher]) -> None:
    for either in both:
        for top in [0, -1]:
            for ask in (either.match, either.explain):
                with pytest.raises(ValueError, match=f"top is {top}"):
                    ask("undo", top)


def test_a_blank_phrase_is_refused(both: list[Matcher]) -> None:
    for either in both:
        for phrase in ["", " ", "\n\t", "\u3000"]:
            for ask in (either.match, either.explain):
                with pytest.raises(PhraseError, match="blank phrase"):
                    ask(phrase)


def test_anything_but_text_is_refused_with_its_type(both: list[Matcher]) -> None:
    cases: list[Any] = [None, 5, b"undo", ["undo"]]
    for either in both:
        for phrase in cases:
            with pytest.raises(PhraseError, match=f"of type {type(phrase).__name__}"):
                either.match(phrase)


def test_names_come_in_the_order_of_the_catalog(both: list[Matcher]) -> None:
    for either in both:
        assert either.names == ["Checkpoints", "MCP Support", "Vision"], either.is_degraded


def test_a_degraded_matcher_cannot_be_saved(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="degraded"):
        Matcher.degraded(BOOK).save(tmp_path / "vectors.npz")
    assert not (tmp_path / "vectors.npz").exists()


def test_a_result_is_camel_case_json_with_a_rounded_confidence() -> None:
    result = MatchResult("undo", "ambiguous", False, (Match("A", 0.12345, "lexical"),), 0.4, ("negated",))
    assert result.to_dict() == {
        "query": "undo",
        "decision": "ambiguous",
        "degraded": False,
        "noneConfidence": 0.4,
        "notes": ["negated"],
        "matches": [{"name": "A", "matchConfidence": 0.123, "matchedBy": "lexical"}],
    }


ALIKE = PhraseBook(
    (
        Label("undo_it", id="1", metadata={"x": None}, phrasings=("rewind",)),
        Label("undo-it", ("undo that",), id="2"),
        Label("look", ("undo it",), phrasings=("see a picture",)),
    )
)


def test_a_name_that_two_labels_share_is_ambiguous_between_them(encoder: ToyEncoder) -> None:
    result = Matcher.build(ALIKE, encoder).match("Undo it?")
    assert result.decision == "ambiguous"
    assert {(match.id, match.match_confidence, match.matched_by) for match in result.matches[:2]} == {
        ("1", 0.5, "exact"),
        ("2", 0.5, "exact"),
    }
    assert result.matches[2].match_confidence == 0


def test_labels_of_one_name_are_reached_by_their_exact_name_or_id(encoder: ToyEncoder) -> None:
    for phrase, found in [("undo_it", "1"), ("undo-it", "2"), ("2", "2"), ("undo that", "2")]:
        result = Matcher.build(ALIKE, encoder).match(phrase)
        assert (result.decision, [match.id for match in result.matches]) == ("resolved", [found]), phrase


def test_ids_and_metadata_are_handed_through(encoder: ToyEncoder) -> None:
    for by_model in [True, False]:
        matcher = Matcher.build(ALIKE, encoder) if by_model else Matcher.degraded(ALIKE)
        (match,) = (match for match in matcher.match("rewind please").matches if match.id == "1")
        assert match.to_dict() | {"matchConfidence": 0} == {
            "name": "undo_it",
            "matchConfidence": 0,
            "matchedBy": match.matched_by,
            "id": "1",
            "metadata": {"x": None},
        }, by_model


def test_only_names_that_several_labels_have_are_shared() -> None:
    assert Matcher.degraded(ALIKE).shared_names == {"undo_it", "undo-it"}
