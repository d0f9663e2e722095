import pytest

from embeddings.errors import PhraseError
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from embeddings.ranking.decision import expected_costs
from embeddings.ranking.explanation import NONE_NAME
from tests.toy import BOOK


@pytest.fixture(params=["full", "degraded"])
def either(request: pytest.FixtureRequest, matcher: Matcher) -> Matcher:
    return matcher if request.param == "full" else Matcher.degraded(BOOK)


@pytest.mark.parametrize("phrase", ["undo mcp", "rewnd", "rewind", "Vision", "see the cost", "do not undo, connect"])
@pytest.mark.parametrize("top", [None, 1, 2, 9])
def test_an_examination_has_the_match_itself(either: Matcher, phrase: str, top: int | None) -> None:
    assert either.examine(phrase, top).result == either.match(phrase, top)


@pytest.mark.parametrize("phrase", ["undo mcp", "rewind"])
@pytest.mark.parametrize("top", [1, 3])
def test_an_examination_has_the_explanation_itself(either: Matcher, phrase: str, top: int) -> None:
    assert either.examine(phrase, explained=top).explanation == either.explain(phrase, top)


@pytest.mark.parametrize("phrase", ["undo mcp", "rewind", "vision"])
def test_the_matches_are_explained_in_their_order(either: Matcher, phrase: str) -> None:
    found = either.examine(phrase, 2)
    explained = [case.name for case in found.explanation.candidates]
    assert explained == [*(match.name for match in found.result.matches), NONE_NAME]


def test_labels_of_one_name_are_explained_each_by_itself() -> None:
    book = PhraseBook((Label("A", phrasings=("undo it",), id="1"), Label("A", phrasings=("connect it",), id="2")))
    found = Matcher.degraded(book).examine("connect it please", 2)
    assert [case.id for case in found.explanation.candidates[:2]] == [match.id for match in found.result.matches]
    assert found.explanation.candidates[0].phrase == "connect it"


def test_the_costs_are_those_of_all_confidences(either: Matcher) -> None:
    found = either.examine("undo mcp", 1)
    confidences = sorted(found.ranking.confidences[:-1].tolist(), reverse=True)
    expected = expected_costs(confidences, float(found.ranking.confidences[-1]))
    assert found.expected_costs == pytest.approx(expected)
    assert found.expected_costs[found.result.decision] == min(found.expected_costs.values())


def test_answering_for_a_name_is_expected_to_cost_nothing(either: Matcher) -> None:
    assert either.examine("rewind").expected_costs["resolved"] == 0


@pytest.mark.parametrize("numbers", [(0, None), (None, 0)])
def test_numbers_below_1_are_refused(either: Matcher, numbers: tuple[int | None, int | None]) -> None:
    with pytest.raises(ValueError, match="it must be at least 1"):
        either.examine("undo it", *numbers)


def test_a_blank_phrase_is_refused(either: Matcher) -> None:
    with pytest.raises(PhraseError, match="blank"):
        either.examine(" ")


def test_a_degraded_matcher_has_no_projection() -> None:
    with pytest.raises(ValueError, match="has no vectors"):
        Matcher.degraded(BOOK).projection()


def test_a_matcher_draws_its_catalog(matcher: Matcher) -> None:
    found = matcher.projection()
    assert len(found.labels) == len(matcher.names)
    assert len(found.phrases) == matcher.phrase_count
