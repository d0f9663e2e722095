import numpy as np
import pytest

from embeddings.statements.relevance import MAX_RELEVANT, MIN_PROBABILITY, SIGNALS, Relevance
from embeddings.statements.statement_index import KEPT, StatementComparer, StatementIndex
from tests.toy import ToyEncoder

LONG_WINDED = (
    "tell me please, because a colleague of mine asked and none of us knew, why can it not undo that image again"
)


@pytest.fixture
def relevance(index: StatementIndex) -> Relevance:
    return Relevance(index, StatementComparer(index, ToyEncoder()))


def test_the_statement_that_is_asked_for_comes_first(relevance: Relevance) -> None:
    found = relevance.relevant("would it connect to the outside tools that we use there", "agent", "Checkpoints", 0.5)
    assert found[0].statement.text == "outside tools are not covered"


def test_a_question_speaks_for_its_statement(relevance: Relevance) -> None:
    found = relevance.relevant("does it connect to a picture when somebody needs that", "agent", "Checkpoints", 0.1)
    assert found[0].statement.field == "limitations"


def test_nothing_is_relevant_to_words_that_no_statement_is_near(relevance: Relevance) -> None:
    assert relevance.relevant("hello", "agent", "Checkpoints", 0.5) == []


def test_an_entry_that_does_not_exist_has_nothing_to_say(relevance: Relevance) -> None:
    assert relevance.relevant("undo", "other", "Vision", 0.5) == []


def test_statements_of_another_group_are_left_out(relevance: Relevance) -> None:
    found = relevance.relevant(LONG_WINDED, "other", "Checkpoints", 0.0)
    assert {one.statement.group for one in found} == {"other"}


def test_at_most_two_are_given_likeliest_first_and_none_below_the_least(relevance: Relevance) -> None:
    found = relevance.relevant("undo outside tools and go back", "agent", "Checkpoints", 0.0)
    confidences = [one.confidence for one in found]
    assert len(found) <= MAX_RELEVANT
    assert confidences == sorted(confidences, reverse=True)
    assert all(MIN_PROBABILITY <= confidence <= 1 for confidence in confidences)


def test_the_surer_the_label_the_less_a_statement_stands_out(relevance: Relevance) -> None:
    signals = relevance.signals("undo it", slice(0, 2), 0.75)
    assert signals[-1, SIGNALS.index("sure")] == np.float32(0.75)
    assert np.all(signals[:-1, SIGNALS.index("sure")] == 0)


def test_one_entry_after_another_encodes_the_phrase_once(index: StatementIndex) -> None:
    encoder = ToyEncoder()
    relevance = Relevance(index, StatementComparer(index, encoder))
    for entry in index.entries:
        relevance.relevant("undo it", *entry, 0.5)
    assert encoder.encoded == ["undo it"]


def test_phrases_of_long_ago_are_not_kept(index: StatementIndex) -> None:
    encoder = ToyEncoder()
    comparer = StatementComparer(index, encoder)
    for number in range(KEPT + 1):
        comparer.nearness(f"undo {number}")
    comparer.nearness("undo 0")
    assert encoder.encoded.count("undo 0") == 2
    assert encoder.encoded.count("undo 1") == 1
