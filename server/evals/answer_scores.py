"""Scores the tools' first answers to questions whose true answers are known.

A file has one question a line, as JSON: `id`, `kind`, `question`, and by kind

- `one` (about one agent): `agent`, `capability` (headings that are right), and `keys`, regular expressions of which one
  is found in the sentence that settles the question, in any wording.
- `compare` (which of them can ...): one item in `needs`, with `verdicts`: agent to yes, no, partly or unknown; and
  `keys`: agent to regular expressions.
- `choose` (an agent for several needs): `needs` with `need` and `verdicts`, and `best`, the agents that serve all.
- `none` (the catalog has no answer).
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from server.catalog.facets import Verdict
from server.errors import CallerError, brief
from server.evals.labelled_queries import numbered_lines, read_content
from server.matching.service import Service
from server.tools.compare_capability import TOOL as COMPARE
from server.tools.definition import checked
from server.tools.lookup_capability import TOOL as LOOKUP
from server.tools.recommend_agent import TOOL as RECOMMEND

MAX_RELEVANT: Final = 2
"""Statements of each `relevant` that count as pointed at."""


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from error
    return pattern


Pattern = Annotated[str, AfterValidator(_compiles)]
Truth = Verdict | Literal["unknown"]
Answers = Callable[[str, Mapping[str, Any]], dict[str, Any]]
"""Calls a tool by name with arguments, and returns its answer."""


class NeedRow(BaseModel):
    """A need, and how each agent stands on it."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    need: str
    verdicts: dict[str, Truth] = Field(default_factory=dict)
    keys: dict[str, tuple[Pattern, ...]] = Field(default_factory=dict)


class Question(BaseModel):
    """A question with its true answer."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    id: str
    kind: Literal["one", "compare", "choose", "none"]
    question: str = Field(min_length=1)
    agent: str = ""
    capability: tuple[str, ...] = ()
    keys: tuple[Pattern, ...] = ()
    needs: tuple[NeedRow, ...] = ()
    best: tuple[str, ...] = ()


@dataclass
class AnswerScores:
    """Counts of what was right.

    Attributes:
        counts: right ones and all, by figure.
        rows: what was answered, a line for each question.
    """

    counts: Counter[tuple[str, bool]] = field(default_factory=Counter)
    rows: list[str] = field(default_factory=list)

    def add(self, figure: str, right: bool) -> None:
        """Count one more."""
        self.counts[figure, right] += 1

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return the number of cases and the share that is right, by figure."""
        figures = dict.fromkeys(name for name, _ in self.counts)
        totals = {name: self.counts[name, True] + self.counts[name, False] for name in figures}
        return {
            name: {"of": total, "share": round(self.counts[name, True] / total, 3)} for name, total in totals.items()
        }


def read_questions(path: Path) -> list[Question]:
    """Read questions.

    Raises:
        CallerError: the file cannot be read, has no question, or has a line of another shape.
    """
    lines = numbered_lines(read_content(path), str(path), "questions")
    return [_question(line, f"{path}, line {number}") for number, line in lines]


def _question(line: str, where: str) -> Question:
    try:
        return Question.model_validate(json.loads(line))
    except (ValueError, RecursionError) as error:
        first = error.errors(include_url=False)[0] if isinstance(error, ValidationError) else None
        why = f"{'.'.join(map(str, first['loc']))}: {first['msg']}" if first else str(error)
        raise CallerError(
            f"{where} is {brief(line)} ({why}); a line has id, kind, question and what its kind needs, as "
            "docs/evaluation.md describes; fix the line"
        ) from error


def answers_of(service: Service) -> Answers:
    """Return the tools of a service as a function."""
    tools = {tool.name: tool for tool in (LOOKUP, COMPARE, RECOMMEND)}

    def call(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        tool = tools[name]
        return tool.handler(service, checked(tool, arguments)).to_json()

    return call


def score(questions: Iterable[Question], call: Answers) -> AnswerScores:
    """Ask each question once, and count."""
    scores = AnswerScores()
    by_kind = {"one": _one, "compare": _compare, "choose": _choose, "none": _none}
    for question in questions:
        scores.rows.append(f"{question.id}: {by_kind[question.kind](question, call, scores)}")
    return scores


def _one(question: Question, call: Answers, scores: AnswerScores) -> str:
    answer = call(LOOKUP.name, {"agent": question.agent, "capability": question.question})
    first = (answer.get("capability") or (answer.get("matches") or [{}])[0]).get("name")
    scores.add("one: heading first", first in question.capability)
    if question.keys:
        scores.add("one: settling sentence pointed at", _found(question.keys, pointed_at(answer)))
    return f"{answer['decision']} {first} {answer.get('answer', {}).get('verdict', '-')}"


def _compare(question: Question, call: Answers, scores: AnswerScores) -> str:
    need = question.needs[0]
    answer = call(COMPARE.name, {"capability": question.question})
    items = {item["agent"]: item for item in answer.get("comparison", [])}
    said = {agent: items[agent].get("verdict") if agent in items else None for agent in need.verdicts}
    _count_cells("compare", need, said, scores)
    for agent, keys in need.keys.items():
        if need.verdicts.get(agent) in ("no", "partly"):
            item = items.get(agent, {})
            lacking = item.get("available") is False and need.verdicts[agent] == "no"
            scores.add("compare: deciding sentence shown", lacking or _found(keys, pointed_at(item)))
    return f"{answer['decision']} {answer.get('asked', {}).get('question', answer.get('capability'))} {said}"


def _choose(question: Question, call: Answers, scores: AnswerScores) -> str:
    answer = call(RECOMMEND.name, {"needs": [need.need for need in question.needs]})
    agents = answer["agents"]
    first = {item["agent"] for item in agents if item["rank"] == 1}
    full = {item["agent"] for item in agents if item["rank"] == 1 and item["covered"] == item["of"]}
    right = bool(first) and first <= set(question.best) if question.best else bool(agents) and not full
    scores.add("choose: first places right", right)
    standings = {item["agent"]: item["needs"] for item in agents}
    for place, need in enumerate(question.needs):
        said = {
            agent: standings[agent][place].get("verdict") if agent in standings else None for agent in need.verdicts
        }
        _count_cells("choose", need, said, scores)
    return f"first {sorted(first)} best {sorted(question.best)}"


def _none(question: Question, call: Answers, scores: AnswerScores) -> str:
    answer = call(COMPARE.name, {"capability": question.question})
    claims = any(item.get("verdict") in ("yes", "no", "partly") for item in answer.get("comparison", []))
    scores.add("none: no verdict given", not claims)
    return f"{answer['decision']} {answer.get('capability', '-')}"


def _count_cells(kind: str, need: NeedRow, said: Mapping[str, str | None], scores: AnswerScores) -> None:
    for agent, truth in need.verdicts.items():
        if truth == "unknown":
            continue
        scores.add(f"{kind}: cells right", said[agent] == truth)
        if truth in ("no", "partly"):
            scores.add(f"{kind}: cells right of no and partly", said[agent] == truth)


def pointed_at(value: object) -> str:
    """Return the sentences that an answer points at: `because`, `value`, and the first of each `relevant`."""
    if isinstance(value, list):
        return "\n".join(map(pointed_at, value))
    if not isinstance(value, dict):
        return ""
    found = []
    for key, part in value.items():
        if key in ("because", "value"):
            found.append(str(part))
        elif key == "relevant":
            found += [item["statement"] for item in part[:MAX_RELEVANT]]
        else:
            found.append(pointed_at(part))
    return "\n".join(found)


def _found(patterns: Sequence[str], text: str) -> bool:
    return any(re.search(pattern, text, re.IGNORECASE | re.DOTALL) for pattern in patterns)
