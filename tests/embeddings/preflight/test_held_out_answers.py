from embeddings.preflight.preflight import preflight
from embeddings.ranking.decision import Costs
from tests.embeddings.preflight.judging import LimitedToyEncoder, judged
from tests.toy import BOOK


def test_each_label_that_was_judged_has_its_answers_in_the_order_of_the_catalog() -> None:
    report = preflight(BOOK.to_dict(), LimitedToyEncoder())
    assert [found.label for found in report.answers] == ["Checkpoints", "MCP Support", "Vision"]
    assert [found.pointer for found in report.answers] == ["/labels/0", "/labels/1", "/labels/2"]
    assert sum(len(found.answers) for found in report.answers) == report.phrases


def test_a_label_that_is_refused_has_no_answers_and_moves_no_pointer() -> None:
    report = judged({"name": " "}, {"name": "Undo", "description": "go back"}, {"name": "See", "description": "look"})
    assert [(found.label, found.pointer) for found in report.answers] == [("Undo", "/labels/1"), ("See", "/labels/2")]


def test_an_answer_is_right_if_no_other_label_is_likelier() -> None:
    twins = [{"name": name, "phrasings": ["undo it", "rewind it", "go back"]} for name in ("Undo", "Rewind")]
    report = judged(*twins, {"name": "See", "phrasings": ["see a picture", "look at an image", "picture"]})
    right = {found.label: sum(answer.right for answer in found.answers) for found in report.answers}
    assert right["See"] == 3
    assert right["Undo"] < 3 or right["Rewind"] < 3
    assert all(0 <= answer.confidence <= 1 for found in report.answers for answer in found.answers)


def test_decisions_follow_the_costs() -> None:
    free = Costs(wrong=0, unfounded=0, candidates=1, useless=1, missed=1)
    report = preflight(BOOK.to_dict(), LimitedToyEncoder(), costs=free)
    assert {answer.decision for found in report.answers for answer in found.answers} == {"resolved"}
    silent = Costs(wrong=1, unfounded=1, missed=0)
    report = preflight(BOOK.to_dict(), LimitedToyEncoder(), costs=silent)
    assert {answer.decision for found in report.answers for answer in found.answers} == {"no_match"}


def test_the_labels_that_are_likeliest_instead_are_listed_the_likeliest_first() -> None:
    twins = [{"name": name, "phrasings": ["undo it", "rewind it", "go back"]} for name in ("Undo", "Rewind")]
    undo, rewind = judged(*twins).answers
    assert [other.other for other in undo.others] == ["Rewind"]
    assert [other.other for other in rewind.others] == ["Undo"]
    assert undo.others[0].probability > 0.1


def test_a_label_lists_eight_others_at_most() -> None:
    report = judged(*({"name": f"Undo {number}", "phrasings": ["undo it", f"rewind {number}"]} for number in range(12)))
    for found in report.answers:
        probabilities = [other.probability for other in found.others]
        assert len(probabilities) <= 8
        assert probabilities == sorted(probabilities, reverse=True)
    assert max(len(found.others) for found in report.answers) == 8
