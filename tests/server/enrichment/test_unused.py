from server.enrichment.answers import Answer
from server.enrichment.estimate import Unused, unused
from server.enrichment.prompts import prompts_for
from tests.toy import BOOK

PROMPTS = prompts_for(BOOK, 8)


def test_answers_to_the_prompts_are_used() -> None:
    assert unused(BOOK, PROMPTS, [Answer(prompt.id, "") for prompt in PROMPTS]) == []


def test_a_label_that_has_changed_is_told_from_one_that_is_not_there() -> None:
    answers = [Answer(identifier, "") for identifier in ("Vision#0/8", "Visoin#0/8", "near:Vision#0/8", "Vision#0/8")]
    assert unused(BOOK, PROMPTS, answers) == [
        Unused("Vision#0/8", changed=True),
        Unused("Visoin#0/8", changed=False, nearest="Vision"),
        Unused("near:Vision#0/8", changed=True),
    ]


def test_a_text_that_is_no_id_is_unknown() -> None:
    (found,) = unused(BOOK, PROMPTS, [Answer("checkpoint", "")])
    assert found.to_dict() == {"unused": "checkpoint", "reason": "unknown_label", "nearest": "Checkpoints"}
