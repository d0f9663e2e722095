from dataclasses import replace
from pathlib import Path

import pytest

from embeddings.matcher import Matcher
from embeddings.ranking.decision import Costs
from tests.toy import BOOK, ToyEncoder

PHRASE = "undo and see"
BOLD = Costs(wrong=1)


def of_a_file(folder: Path, costs: Costs) -> Matcher:
    Matcher.build(BOOK, ToyEncoder()).save(folder / "vectors.npz")
    return Matcher.load(folder / "vectors.npz", ToyEncoder(), costs=costs)


@pytest.fixture(params=["built", "loaded", "updated"])
def matchers(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Matcher, Matcher]:
    """Return a matcher for which wrong answers are cheap, and one with the usual costs."""

    def made(costs: Costs) -> Matcher:
        if request.param == "loaded":
            return of_a_file(tmp_path, costs)
        built = Matcher.build(BOOK, ToyEncoder(), costs=costs)
        return built if request.param == "built" else built.update(replace(BOOK, out_of_scope=BOOK.out_of_scope[:1]))

    return made(BOLD), made(Costs())


def test_a_dearer_wrong_answer_makes_a_resolved_phrase_ambiguous_and_leaves_the_confidences(
    matchers: tuple[Matcher, Matcher],
) -> None:
    bold, usual = matchers
    assert (bold.match(PHRASE).decision, usual.match(PHRASE).decision) == ("resolved", "ambiguous")
    assert bold.match(PHRASE).matches == usual.match(PHRASE).matches


def test_a_name_stays_certain_whatever_a_wrong_answer_costs() -> None:
    assert Matcher.degraded(BOOK, costs=Costs(wrong=1e9)).match("vision").decision == "resolved"


def test_a_degraded_matcher_decides_by_its_costs() -> None:
    phrase = "how much does the service cost"
    decisions = [Matcher.degraded(BOOK, costs=costs).match(phrase).decision for costs in (Costs(), Costs(missed=1e6))]
    assert decisions == ["no_match", "ambiguous"]
