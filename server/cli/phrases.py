"""Phrases on the command line: quoted or not, before or after the agent."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from embeddings.text.normalization import fold
from server.catalog.catalog import Catalog
from server.catalog.models import CapabilityEntry
from server.errors import CallerError
from server.matching.service import Service
from server.tools.paging import ELLIPSIS

_LONGEST_NAME: Final = 4
"""Words of the longest agent name that is recognized without quotes."""

_PAIR: Final = 2


def add_phrase(command: argparse.ArgumentParser) -> None:
    """Add the phrase; all remaining words are one phrase."""
    command.add_argument(
        "phrase", metavar="PHRASE", nargs="+", help="a capability, or the need in your own words; quotes are optional"
    )


@dataclass(frozen=True)
class AgentQuery:
    """The agent and the need that a command line names.

    Attributes:
        agent: as the caller named it.
        phrase: the need.
        swapped: whether the agent was given after the phrase.
    """

    agent: str
    phrase: str
    swapped: bool = False


def asked_of(service: Service, words: Sequence[str]) -> AgentQuery:
    """Tell the agent from the phrase: the agent comes first, or last if nothing else can be meant."""
    names = {fold(name) for agent in service.catalog.agents.values() for name in (agent.id, agent.info.name)}
    if after := _named(words, names, last=True):
        before = " ".join(words[:-after])
        # A phrase may end in the name of another agent, or an agent be all that the phrase names.
        if not _names_agent(service, words[0]) or (len(words) - after == 1 and fold(before) not in names):
            return AgentQuery(" ".join(words[-after:]), before, swapped=True)
    first = _named(words, names, last=False) or 1
    if len(words) == _PAIR and not _names_agent(service, words[0]) and _names_agent(service, words[1], by_id=True):
        return AgentQuery(words[1], words[0], swapped=True)
    return AgentQuery(" ".join(words[:first]), " ".join(words[first:]))


def _named(words: Sequence[str], names: set[str], *, last: bool) -> int:
    """Return how many words at one end are an agent's full name.

    It is 0 if none are. At least one word is left for the phrase.
    """
    counts = range(min(_LONGEST_NAME, len(words) - 1), 0, -1)
    return next((n for n in counts if fold(" ".join(words[-n:] if last else words[:n])) in names), 0)


def _names_agent(service: Service, word: str, *, by_id: bool = False) -> bool:
    """Return whether a word is understood as an agent.

    `by_id`: with a word of its id, as a vendor's name may be a phrase.
    """
    try:
        agent = service.agent(word)
    except CallerError:
        return False
    return not by_id or not set(fold(word).split()).isdisjoint(fold(agent).split())


def whole(catalog: Catalog, answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer for several agents, with statements and setup as the catalog has them."""
    changed = dict(answer)
    if "comparison" in answer:
        changed["comparison"] = [
            _part(line, catalog.entry(line["agent"], answer["capability"])) for line in answer["comparison"]
        ]
    if "agents" in answer:
        changed["agents"] = [
            agent
            | {
                "needs": [
                    _part(need, catalog.entry(agent["agent"], need.get("capability", ""))) for need in agent["needs"]
                ]
            }
            for agent in answer["agents"]
        ]
    return changed


def _part(part: dict[str, Any], entry: CapabilityEntry | None) -> dict[str, Any]:
    if entry is None:
        return part
    changed = dict(part)
    if "relevant" in part:
        changed["relevant"] = [
            each | {"statement": _text(each["statement"], each["field"], entry)} for each in part["relevant"]
        ]
    if setup := part.get("implementationNotes", {}).get("setup"):
        changed["implementationNotes"] = part["implementationNotes"] | {"setup": _text(setup, "setup", entry)}
    return changed


def _text(shown: str, field: str, entry: CapabilityEntry) -> str:
    """Return the statement of a field that begins as a shortened one does.

    If the shown one is whole, or no statement is found, it is returned itself.
    """
    if not shown.endswith(ELLIPSIS):
        return shown
    beginning = shown.removesuffix(ELLIPSIS)
    texts = (statement.text for statement in entry.statements if statement.field == field)
    return next((text for text in texts if text.startswith(beginning)), shown)
