"""The subcommand `parity`."""

import argparse
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Annotated, Any, Final

from server.catalog.catalog import Catalog
from server.catalog.plans import NO_PLAN, OPENERS
from server.cli.filter_options import add_access, add_agents, add_category, add_tier, joined, service_for_category
from server.cli.options import Subcommands, add_command, add_data, add_json, show
from server.cli.understanding import MARKS, category_note
from server.output import bold, paragraph, table
from server.tools.answers import AbsentIfEmpty, Answer
from server.tools.definition import checked
from server.tools.feature_parity import TOOL, ParityAnswer, parity

WORDS: Final = {"available": "yes", "unavailable": "no", "undocumented": "not documented"}
"""Words for people for the cells of the tool's answer."""


class QuestionRow(Answer):
    """A question about a capability, and the answer of each agent: a verdict, or a value."""

    capability: str
    question: str
    agents: dict[str, str]


class QuestionsAnswer(ParityAnswer):
    """What `feature_parity` answers, with the questions that the agents answer differently."""

    questions: Annotated[list[QuestionRow] | None, AbsentIfEmpty] = None


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "parity", "show in what the agents differ, and what they all have", run)
    add_agents(command, "compare only this agent; may be repeated; one alone is compared with all others")
    add_category(command, "compare only capabilities of this category, such as security")
    add_tier(command, "count only what is available on this plan or a lower one")
    add_access(command, "count what this opens, too, for which no plan is needed; may be repeated")
    command.add_argument(
        "--questions", action="store_true", help="also show the questions that the agents answer differently"
    )
    add_data(command)
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """Lay the agents side by side."""
    service = service_for_category(options)
    asked = {
        "agents": options.agents,
        "category": options.category,
        "tier": options.tier,
        "access": joined(options.access),
    }
    answer = parity(service, checked(TOOL, asked))
    if options.questions:
        rows = list(_questions(service.catalog, answer.agents, answer.category))
        answer = QuestionsAnswer(**dict(answer), questions=rows)
    return show(options, answer, render)


def _questions(catalog: Catalog, agents: Sequence[str], category: str | None) -> Iterator[QuestionRow]:
    """Yield the questions, of one category or of all, to which the agents have different answers."""
    for capability in catalog.capabilities:
        for facet in catalog.facets.get(capability.name, ()) if category in (None, capability.category) else ():
            cells = {agent: catalog.agents[agent].cell(capability.name, facet) for agent in agents}
            told = {agent: (cell and (cell.value or cell.verdict)) or "undocumented" for agent, cell in cells.items()}
            if len(set(told.values())) > 1:
                yield QuestionRow(capability=capability.name, question=facet.question, agents=told)


def render(answer: dict[str, Any]) -> str:
    """Return the answer as text."""
    agent = answer.get("agent")
    titled = {
        "missing": f"Not in {agent}, but in others",
        "unique": f"Only in {agent}",
        "different": "Different",
    }
    named = {"everywhere": "same in all", "nowhere": "in none", "undocumented": "not known"}
    parts = category_note(answer)
    for key, title in titled.items():
        if rows := answer.get(key):
            parts += ["", bold(title), _rows(rows)]
    for key, title in named.items():
        parts += ["", paragraph(title, ", ".join(answer[key]))] if key in answer else []
    parts += _answered(answer.get("questions", []))
    text = "\n".join(parts).lstrip("\n") or "The catalog has no capability to compare."
    return f"{text}\n\n({NO_PLAN} with your own key where a cell has it)" if OPENERS["ownKey"] in text else text


def _rows(rows: list[dict[str, Any]]) -> str:
    """Return a row for each capability, a column for each agent, and in what they differ."""
    agents = list(rows[0]["agents"])
    shown = [
        [row["name"], *(_cell(row["agents"][agent]) for agent in agents), ", ".join(row.get("differs", []))]
        for row in rows
    ]
    return table(["capability", *agents, "differ in"], shown)


def _answered(rows: list[dict[str, Any]]) -> list[str]:
    """Return a table of questions under each capability; those for a value have a line for each agent."""
    parts = []
    for name, group in groupby(rows, key=lambda row: row["capability"]):
        asked = list(group)
        verdicts = [row for row in asked if set(row["agents"].values()) <= set(MARKS)]
        parts += ["", bold(f"{name}: questions")]
        if verdicts:
            shown = [[row["question"], *(MARKS[told] for told in row["agents"].values())] for row in verdicts]
            parts.append(table(["question", *asked[0]["agents"]], shown))
        for row in (each for each in asked if each not in verdicts):
            parts.append(row["question"])
            parts += [paragraph(agent, MARKS.get(told, told)) for agent, told in row["agents"].items()]
    return parts


def _cell(told: str) -> str:
    """Return a cell in a person's words: `needs pro` for what is not available on the plan asked for."""
    word, comma, more = told.removeprefix("not on ").partition(", ")
    return more if told.startswith("not on ") else f"{WORDS.get(word, word)}{comma}{more}"
