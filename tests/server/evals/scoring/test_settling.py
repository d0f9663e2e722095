"""Whether a prompt was settled by the answers that the caller was given."""

from typing import Any

import pytest

from server.evals.scoring.settling import settled
from server.evals.tool_runner import Outcome

STATEMENT = 'Off unless "sandbox.enabled"\nis set; local models are not documented'


def answered(**answer: Any) -> Outcome:
    return Outcome("as JSON", False, answer)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (["local models are not documented"], True),
        (["LOCAL MODELS"], True),
        (['"sandbox.enabled" is set'], True),
        (["local models", "off unless"], True),
        (["local models", "on by default"], False),
        (["are supported"], False),
    ],
)
def test_every_part_must_occur_in_any_case_and_whatever_the_line_breaks(parts: list[str], expected: bool) -> None:
    outcome = answered(comparison=[{"agent": "claude-code", "limitations": ["Only one", STATEMENT]}])
    assert settled([outcome], parts) is expected


def test_the_parts_may_stand_in_the_answers_to_several_calls() -> None:
    outcomes = [answered(capability={"description": "the first"}), answered(sources=[{"url": "the second"}])]
    assert settled(outcomes, ["the first", "the second"])


def test_a_part_does_not_run_over_two_statements() -> None:
    assert not settled([answered(limitations=["no local", "models"])], ["no local models"])


def test_an_error_is_read_as_its_text() -> None:
    assert settled([Outcome("unknown category; known: security", True, {})], ["known: security"])


def test_no_answer_settles_nothing() -> None:
    assert not settled([], ["anything"])
