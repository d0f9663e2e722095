from dataclasses import replace

import numpy as np
import pytest

from embeddings.matcher import Matcher
from embeddings.ranking.ranking import Ranking
from embeddings.statements.relevance import EVIDENCE_SIGNALS, UNRELATED, Evidence
from embeddings.statements.statement_index import StatementComparer, StatementIndex
from tests.toy import BOOK, ToyEncoder

LABELS = [label.name for label in BOOK.labels]


@pytest.fixture
def evidence(index: StatementIndex) -> Evidence:
    return Evidence(index, StatementComparer(index, ToyEncoder()), LABELS)


def even(matcher: Matcher, phrase: str) -> Ranking:
    """Return a ranking in which nothing speaks for any label."""
    found: list[Ranking] = []

    def keep(_: str, ranking: Ranking) -> Ranking:
        found.append(ranking)
        return ranking

    matcher.match(phrase, weigh=keep)
    return replace(found[0], confidences=np.full(len(LABELS) + 1, 1 / (len(LABELS) + 1)))


def test_a_label_whose_statement_is_near_gains(matcher: Matcher, evidence: Evidence) -> None:
    ranking = even(matcher, "how do they plug in")
    weighed = evidence.weigh("how do they plug in", ranking, "agent")
    assert LABELS[weighed.best] == "Checkpoints"


def test_probabilities_still_add_up_to_one(matcher: Matcher, evidence: Evidence) -> None:
    weighed = evidence.weigh("see it", even(matcher, "see it"), "agent")
    assert weighed.confidences.sum() == pytest.approx(1)


def test_other_groups_say_nothing(matcher: Matcher, evidence: Evidence) -> None:
    signals = evidence.signals("see it", even(matcher, "see it"), "nobody")
    assert np.all(signals[:-1, 1:] == 0)


def test_a_question_counts_by_how_much_it_is_nearer_than_chance(matcher: Matcher, evidence: Evidence) -> None:
    signals = evidence.signals("an image", even(matcher, "an image"), "agent")
    vision = signals[LABELS.index("Vision")]
    assert vision[EVIDENCE_SIGNALS.index("question")] == pytest.approx(1 - UNRELATED, abs=0.01)


def test_a_name_is_not_weighed(matcher: Matcher, evidence: Evidence) -> None:
    result = matcher.match("Vision", weigh=lambda phrase, ranking: evidence.weigh(phrase, ranking, "agent"))
    assert result.matches[0].match_confidence == 1
