"""Findings about a catalog as a whole."""

import pytest

from embeddings.preflight.preflight import preflight
from embeddings.ranking.decision import Costs
from tests.embeddings.preflight.judging import LimitedToyEncoder, found, judged

UNDO = {"name": "Undo", "description": "take back", "phrasings": ["undo it", "rewind it", "go back"]}
SEE = {"name": "See", "description": "look at an image", "phrasings": ["see a picture", "look at it", "a picture"]}
BARE = {"name": "Speak", "description": "say a text aloud"}


def test_labels_without_examples_beside_others_are_named() -> None:
    (finding,) = found(judged(UNDO, SEE, BARE), "uneven")
    assert (finding.label, finding.severity, finding.texts) == ("", "note", ("Speak",))
    assert "'Speak'" in finding.suggestion


@pytest.mark.parametrize("labels", [(UNDO, SEE), (BARE, {"name": "Sing", "description": "make music"})])
def test_a_catalog_with_examples_for_all_labels_or_for_none_is_even(labels: tuple[dict[str, object], ...]) -> None:
    assert found(judged(*labels), "uneven") == []


@pytest.mark.parametrize(("listed", "number"), [(0, 0), (1, 1), (19, 1), (20, 0)])
def test_a_few_out_of_scope_phrases_are_too_few(listed: int, number: int) -> None:
    outside = [f"far away {place}" for place in range(listed)]
    findings = found(judged(UNDO, SEE, outOfScope=outside), "outside")
    assert [finding.pointer for finding in findings] == ["/outOfScope"] * number


@pytest.mark.parametrize("labels", [(UNDO, SEE), (UNDO, SEE, BARE)])
def test_what_is_missed_is_estimated_by_the_costs_from_examples(labels: tuple[dict[str, object], ...]) -> None:
    content = {"labels": list(labels)}
    never = preflight(content, LimitedToyEncoder(), costs=Costs(missed=1000))
    always = preflight(content, LimitedToyEncoder(), costs=Costs(missed=0))
    assert never.missed is not None
    assert (never.missed.share, never.missed.phrases) == (0, 6)
    assert found(never, "missed") == []
    assert always.missed is not None
    assert always.missed.share == pytest.approx(1)
    (finding,) = found(always, "missed")
    assert finding.severity == "warning"
    assert finding.probability == always.missed.share


def test_without_examples_nothing_is_estimated() -> None:
    assert judged(BARE, {"name": "Sing", "description": "make music"}).missed is None


def test_labels_that_say_nearly_the_same_are_confusable_although_they_have_few_examples() -> None:
    twin = {"name": "Undo", "description": "take back", "phrasings": ["reverse"]}
    report = judged({**twin, "id": "one"}, {**twin, "id": "two", "phrasings": ["revoke"]}, SEE)
    assert ("one", "two") in [(finding.label, finding.other) for finding in found(report, "confusable")]
