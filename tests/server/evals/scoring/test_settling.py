"""Whether a prompt was settled by the answers that the caller was given."""

from typing import Any

from server.evals.scoring import settled
from server.evals.tool_runner import Outcome

STATEMENT = 'Off unless "sandbox.enabled"\nis set; local models are not documented'


def answered(**answer: Any) -> Outcome:
    return Outcome("as JSON", False, answer)


def test_every_part_must_occur_in_any_case_and_whatever_the_line_breaks() -> None:
    cases: list[tuple[list[str], bool]] = [
        (["local models are not documented"], True),
        (["LOCAL MODELS"], True),
        (['"sandbox.enabled" is set'], True),
        (["local models", "off unless"], True),
        (["local models", "on by default"], False),
        (["are supported"], False),
    ]
    for parts, expected in cases:
        outcome = answered(comparison=[{"agent": "claude-code", "limitations": ["Only one", STATEMENT]}])
        assert settled([outcome], parts) is expected, parts


def test_parts_may_stand_in_several_answers_but_not_run_over_statements() -> None:
    outcomes = [answered(capability={"description": "the first"}), answered(sources=[{"url": "the second"}])]
    assert settled(outcomes, ["the first", "the second"])
    assert not settled([answered(limitations=["no local", "models"])], ["no local models"])
    assert settled([Outcome("unknown category; known: security", True, {})], ["known: security"])
    assert not settled([], ["anything"])
