import pytest

from embeddings.errors import PhraseError
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from embeddings.ranking.decision import expected_costs
from embeddings.ranking.explanation import NONE_NAME
from tests.toy import BOOK


@pytest.fixture
def both(matcher: Matcher) -> list[Matcher]:
    return [matcher, Matcher.degraded(BOOK)]


def test_an_examination_has_the_match_itself(both: list[Matcher]) -> None:
    for either in both:
        cases: list[int | None] = [None, 1, 2, 9]
        for phrase in ["undo mcp", "rewnd", "rewind", "Vision", "see the cost", "do not undo, connect"]:
            for top in cases:
                assert either.examine(phrase, top).result == either.match(phrase, top), (phrase, top)


def test_an_examination_has_the_explanation_itself(both: list[Matcher]) -> None:
    for either in both:
        for phrase in ["undo mcp", "rewind"]:
            for top in [1, 3]:
                assert either.examine(phrase, explained=top).explanation == either.explain(phrase, top), (phrase, top)


def test_the_matches_are_explained_in_their_order(both: list[Matcher]) -> None:
    for either in both:
        for phrase in ["undo mcp", "rewind", "vision"]:
            found = either.examine(phrase, 2)
            explained = [case.name for case in found.explanation.candidates]
            assert explained == [*(match.name for match in found.result.matches), NONE_NAME], phrase


def test_labels_of_one_name_are_explained_each_by_itself() -> None:
    book = PhraseBook((Label("A", phrasings=("undo it",), id="1"), Label("A", phrasings=("connect it",), id="2")))
    found = Matcher.degraded(book).examine("connect it please", 2)
    assert [case.id for case in found.explanation.candidates[:2]] == [match.id for match in found.result.matches]
    assert found.explanation.candidates[0].phrase == "connect it"


def test_the_costs_are_those_of_all_confidences(both: list[Matcher]) -> None:
    for either in both:
        found = either.examine("undo mcp", 1)
        confidences = sorted(found.ranking.confidences[:-1].tolist(), reverse=True)
        expected = expected_costs(confidences, float(found.ranking.confidences[-1]))
        assert found.expected_costs == pytest.approx(expected), either.is_degraded
        assert found.expected_costs[found.result.decision] == min(found.expected_costs.values()), either.is_degraded


def test_answering_for_a_name_is_expected_to_cost_nothing(both: list[Matcher]) -> None:
    for either in both:
        assert either.examine("rewind").expected_costs["resolved"] == 0, either.is_degraded


def test_numbers_below_1_are_refused(both: list[Matcher]) -> None:
    for either in both:
        cases: list[tuple[int | None, int | None]] = [(0, None), (None, 0)]
        for numbers in cases:
            with pytest.raises(ValueError, match="it must be at least 1"):
                either.examine("undo it", *numbers)


def test_a_blank_phrase_is_refused(both: list[Matcher]) -> None:
    for either in both:
        with pytest.raises(PhraseError, match="blank"):
            either.examine(" ")


def test_a_degraded_matcher_has_no_projection() -> None:
    with pytest.raises(ValueError, match="has no vectors"):
        Matcher.degraded(BOOK).projection()


def test_a_matcher_draws_its_catalog(matcher: Matcher) -> None:
    found = matcher.projection()
    assert len(found.labels) == len(matcher.names)
    assert len(found.phrases) == matcher.phrase_count
