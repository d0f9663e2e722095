"""Agents ranked by the needs that they cover."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from embeddings.ranking.match_result import MatchResult
from server.catalog.models import TIERS, MaturityLevel, Tier, within
from server.matching.service import Service
from server.tools.answers import Answer, Relevants, RelevantStatement
from server.tools.evidence import relevant
from server.tools.paging import cut


@dataclass(frozen=True)
class Need:
    """One need as it was understood.

    Attributes:
        result: what its words matched.
        capability: the canonical name; None when the words were not resolved.
    """

    result: MatchResult
    capability: str | None


def understood(service: Service, phrases: Sequence[str]) -> list[Need]:
    """Match each phrase.

    Raises:
        CallerError: a phrase is blank.
    """
    results = [service.match(phrase) for phrase in phrases]
    return [Need(result, result.matches[0].name if result.decision == "resolved" else None) for result in results]


MATURITY: Final[tuple[MaturityLevel, ...]] = ("stable", "beta", "experimental", "deprecated")
"""Levels of maturity, the best first."""

LONGEST_STATEMENT: Final = 200
"""Maximum characters of a statement for one need of one agent."""

MAX_CHARACTERS: Final = 1_800
"""Maximum characters of all statements of an answer; the likeliest are kept."""

FIELDS_OF_STATEMENT: Final = 40
"""Characters that the other fields of a statement add to it."""

Statements = Mapping[tuple[str, str], RelevantStatement]
"""By agent and capability."""


class NeedStanding(Answer):
    """How an agent stands on one need."""

    capability: str
    covered: bool
    available: bool | None = None
    documented: Literal[False] | None = None
    tier: Tier | None = None
    maturity_level: MaturityLevel | None = None
    relevant: Relevants = None


class RankedAgent(Answer):
    """One agent's coverage; `tier` is the lowest plan that has all that it covers."""

    rank: int
    agent: str
    tie: Literal[True] | None = None
    covered: int
    of: int
    tier: Tier | None = None
    needs: list[NeedStanding]


def ranked(service: Service, needs: Sequence[Need], tier: Tier | None) -> list[RankedAgent]:
    """Return every agent, the one that covers most first; none if no need is clear."""
    phrases: dict[str, list[MatchResult]] = {}
    for need in needs:
        if need.capability:
            phrases.setdefault(need.capability, []).append(need.result)
    if not phrases:
        return []
    ambiguous = {need.result.query for need in needs if need.result.decision == "ambiguous"}
    statements = _statements(service, phrases)
    of = len(phrases) + len(ambiguous)
    agents = [
        _coverage(agent, [_standing(service, agent, name, tier, statements) for name in phrases], of)
        for agent in service.catalog.agents
    ]
    return _with_ranks(sorted(agents, key=_order))


def _statements(service: Service, phrases: Mapping[str, list[MatchResult]]) -> Statements:
    """Return the likeliest statement for each agent and capability, as long as there is room."""
    found = {
        (agent, name): max(said, key=lambda each: each.confidence)
        for agent in service.catalog.agents
        for name, results in phrases.items()
        if (said := [each for result in results for each in relevant(service, result, agent, name)])
    }
    kept: dict[tuple[str, str], RelevantStatement] = {}
    left = MAX_CHARACTERS
    for place, statement in sorted(found.items(), key=lambda item: -item[1].confidence):
        short = statement.model_copy(update={"statement": cut(statement.statement, LONGEST_STATEMENT)})
        left -= len(short.statement) + FIELDS_OF_STATEMENT
        if left < 0:
            break
        kept[place] = short
    return kept


def _standing(service: Service, agent: str, name: str, tier: Tier | None, statements: Statements) -> NeedStanding:
    entry = service.catalog.entry(agent, name)
    if entry is None:
        return NeedStanding(capability=name, covered=False, documented=False)
    statement = statements.get((agent, name))
    return NeedStanding(
        capability=name,
        covered=within(entry, tier),
        available=entry.available,
        tier=entry.tier if entry.available else None,
        maturity_level=entry.maturity_level if entry.available else None,
        relevant=[statement] if statement else None,
    )


def _coverage(agent: str, standings: list[NeedStanding], of: int) -> RankedAgent:
    plans = [need.tier for need in standings if need.covered and need.tier]
    return RankedAgent(
        rank=0,
        agent=agent,
        covered=sum(need.covered for need in standings),
        of=of,
        tier=max(plans, key=TIERS.index, default=None),
        needs=standings,
    )


def _order(agent: RankedAgent) -> tuple[int, int, int, int, str]:
    """Coverage, then the plan that all of it needs, the sum of the plans, the sum of the levels of maturity.

    A plan or level that is not known comes after the known ones.
    """
    covered = [need for need in agent.needs if need.covered]
    plans = [TIERS.index(need.tier) if need.tier else len(TIERS) for need in covered]
    levels = [MATURITY.index(need.maturity_level) if need.maturity_level else len(MATURITY) for need in covered]
    return -agent.covered, max(plans, default=0), sum(plans), sum(levels), agent.agent


def _with_ranks(agents: Sequence[RankedAgent]) -> list[RankedAgent]:
    counts = [agent.covered for agent in agents]
    return [
        agent.model_copy(
            update={
                "rank": counts.index(agent.covered) + 1,
                "tie": True if counts.count(agent.covered) > 1 else None,
            }
        )
        for agent in agents
    ]
