"""Scores of the tools' answers to questions whose verdicts are known."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from server.errors import CallerError
from server.evals.answer_scores import Question, read_questions, score

NEED = {"need": "undo", "verdicts": {"a": "yes", "b": "no", "c": "unknown"}, "keys": {"b": ["not undone"]}}


def shares(question: dict[str, Any], answer: Mapping[str, Any]) -> dict[str, float]:
    scores = score([Question.model_validate({"id": "1", "question": "undo?"} | question)], lambda name, _: dict(answer))
    return {name: found["share"] for name, found in scores.to_dict().items()}


def test_a_question_about_one_agent_counts_its_heading_and_the_sentence_that_settles_it() -> None:
    question = {"kind": "one", "agent": "a", "capability": ["Checkpoints"], "keys": ["not undone"]}
    answer = {"decision": "resolved", "capability": {"name": "Checkpoints", "description": "not undone"}}
    assert list(shares(question, answer).values()) == [1.0, 0.0]
    answer["answer"] = {"verdict": "no", "because": "Shell changes are NOT undone."}
    assert list(shares(question, answer).values()) == [1.0, 1.0]


def test_a_comparison_counts_the_known_verdicts_and_the_sentences_of_no_and_partly() -> None:
    lines = [{"agent": "a", "verdict": "yes"}, {"agent": "b", "verdict": "yes", "because": "not undone"}]
    found = shares({"kind": "compare", "needs": [NEED]}, {"decision": "resolved", "comparison": lines})
    assert found == {
        "compare: cells right": 0.5,
        "compare: cells right of no and partly": 0.0,
        "compare: deciding sentence shown": 1.0,
    }


@pytest.mark.parametrize(("best", "covered", "right"), [(["a"], 1, 1.0), (["b"], 1, 0.0), ([], 0.5, 1.0), ([], 1, 0.0)])
def test_a_choice_counts_first_places_within_the_right_set(best: list[str], covered: float, right: float) -> None:
    agents = [{"agent": "a", "rank": 1, "covered": covered, "of": 1, "needs": [{"verdict": "yes"}]}]
    found = shares({"kind": "choose", "needs": [{"need": "undo"}], "best": best}, {"agents": agents})
    assert found == {"choose: first places right": right}


def test_a_verdict_where_the_catalog_has_no_answer_is_wrong() -> None:
    for lines, right in (([], 1.0), ([{"agent": "a", "verdict": "yes"}], 0.0)):
        answer = {"decision": "resolved", "comparison": lines}
        assert shares({"kind": "none"}, answer) == {"none: no verdict given": right}


@pytest.mark.parametrize("line", ['{"id": "1"}', "[]", '{"id": "1", "kind": "one", "question": "x", "keys": ["("]}'])
def test_a_line_of_another_shape_is_refused_with_its_place(tmp_path: Path, line: str) -> None:
    path = tmp_path / "questions.jsonl"
    good = json.dumps({"id": "0", "kind": "none", "question": "x"})
    path.write_text(f"{good}\n{line}\n", encoding="utf-8")
    with pytest.raises(CallerError, match=r"line 2 is .*fix the line"):
        read_questions(path)
