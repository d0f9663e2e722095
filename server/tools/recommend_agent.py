"""`recommend_agent`: which agents cover a list of needs?"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated, Final, Literal

from pydantic import Field

from embeddings.ranking.match_result import Decision, MatchedBy, MatchResult, Note
from server.catalog.catalog import Catalog
from server.catalog.models import TIERS, MaturityLevel, Tier, known_tier, within
from server.errors import CallerError
from server.matching.service import Service
from server.tools.answers import AbsentIfEmpty, Answer, Confidence, Relevants, RelevantStatement, echo, listed
from server.tools.definition import Plan, Request, ServiceTool
from server.tools.evidence import relevant
from server.tools.paging import caution, cut


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
        CallerError: a phrase is blank, or the phrases are too long together.
    """
    service.check_windows("the list of needs", phrases)
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


MAX_NAMED: Final = 2
"""Maximum capabilities or phrases that are named for one way to break a tie."""

LONGEST_PHRASE: Final = 60
"""Maximum characters of a phrase that is named."""


class Tie(Answer):
    """Agents of one rank, and what would set them apart."""

    rank: int
    agents: list[str]
    broken_by: str


def ties(catalog: Catalog, agents: Sequence[RankedAgent], needs: Sequence[Need]) -> list[Tie]:
    """Return the ranks that several agents share."""
    groups = [(rank, list(tied)) for rank, tied in groupby(agents, key=lambda agent: agent.rank)]
    return [
        Tie(rank=rank, agents=[agent.agent for agent in tied], broken_by=_broken_by(catalog, tied, needs))
        for rank, tied in groups
        if len(tied) > 1
    ]


def _broken_by(catalog: Catalog, tied: Sequence[RankedAgent], needs: Sequence[Need]) -> str:
    unclear = [repr(echo(need.result.query, LONGEST_PHRASE)) for need in needs if need.capability is None]
    ways = [
        ("which need counts more", _that_differ(tied, lambda need: need.covered)),
        ("the plan", _that_differ(tied, lambda need: need.tier if need.covered else None)),
        ("the maturity", _that_differ(tied, lambda need: need.maturity_level if need.covered else None)),
        ("saying more precisely", _first(unclear)),
    ]
    told = [f"{way}: {what}" for way, what in ways if what]
    return "; ".join(told or [_further_need(catalog, [agent.agent for agent in tied])])


def _that_differ(tied: Sequence[RankedAgent], value: Callable[[NeedStanding], object]) -> str:
    """Return the needs on which the agents differ, each with what they have.

    A value that is not known differs from none.
    """
    differing = []
    for standings in zip(*(agent.needs for agent in tied), strict=True):
        found = {agent.agent: value(need) for agent, need in zip(tied, standings, strict=True)}
        known = {agent: each for agent, each in found.items() if each is not None}
        if len(set(known.values())) > 1:
            differing.append(f"{standings[0].capability} ({_told(known)})")
    return _first(differing)


def _told(values: dict[str, object]) -> str:
    if set(values.values()) == {True, False}:
        return ", ".join(agent for agent, covered in values.items() if covered)
    distinct = sorted({str(value) for value in values.values()}, key=[*map(str, values.values())].index)
    return "; ".join(f"{', '.join(agent for agent in values if values[agent] == each)} {each}" for each in distinct)


def _further_need(catalog: Catalog, agents: Sequence[str]) -> str:
    """Return a capability that only some of the agents have; the needs given do not set them apart."""
    for name in catalog.by_name:
        having = [agent for agent in agents if (entry := catalog.entry(agent, name)) and entry.available]
        if 0 < len(having) < len(agents):
            return f"a further need, such as {name} ({', '.join(having)})"
    return "nothing that the catalog knows"


def _first(names: Iterable[str]) -> str:
    return ", ".join(list(names)[:MAX_NAMED])


MAX_NEEDS: Final = 20
"""Maximum needs in one call: more than a shortlist depends on, and few enough to answer in well under a second."""

HINT_AMBIGUOUS: Final = (
    "{} of {} needs could mean several capabilities; each stays in 'of' but counts for no agent. Ask again with the "
    "candidate that is meant."
)
HINT_NO_MATCH: Final = (
    "Not counted: {} of {} needs, which fit no capability. If no candidate is meant, say that the catalog does not "
    "cover that need."
)


class RecommendRequest(Request):
    """Arguments of `recommend_agent`."""

    needs: Annotated[list[str], Field(min_length=1, max_length=MAX_NEEDS, description="one plain phrase for each")]
    tier: Annotated[Plan | None, Field(description="highest plan that counts")] = None


class UnderstoodNeed(Answer):
    """How a need was understood, or the candidates if that is unclear."""

    need: str
    decision: Decision
    capability: str | None = None
    matched_by: MatchedBy | None = None
    match_confidence: Confidence
    notes: Annotated[list[Note] | None, AbsentIfEmpty] = None
    candidates: list[str] | None = None


class RecommendAnswer(Answer):
    """Answer of `recommend_agent`."""

    tier: Tier | None = None
    degraded: Literal[True] | None = None
    understood: list[UnderstoodNeed]
    agents: list[RankedAgent]
    ties: Annotated[list[Tie] | None, AbsentIfEmpty] = None
    hint: str | None = None


def recommend(service: Service, request: RecommendRequest) -> RecommendAnswer:
    """Rank the agents by how many of the needs they cover."""
    if not any(need.strip() for need in request.needs):
        raise CallerError(
            "recommend_agent got only blank needs; a need is a phrase such as 'undo changes'; give at least one"
        )
    tier = known_tier(request.tier) if request.tier else None
    needs = understood(service, [need for need in request.needs if need.strip()])
    agents = ranked(service, needs, tier)
    return RecommendAnswer(
        tier=tier,
        degraded=True if any(need.result.degraded for need in needs) else None,
        understood=[_shown(need) for need in needs],
        agents=agents,
        ties=ties(service.catalog, agents, needs),
        hint=_hint(needs, agents),
    )


def _shown(need: Need) -> UnderstoodNeed:
    best = need.result.matches[0]
    return UnderstoodNeed(
        need=echo(need.result.query),
        decision=need.result.decision,
        capability=need.capability,
        matched_by=best.matched_by if need.capability else None,
        match_confidence=round(best.match_confidence, 3),
        notes=list(need.result.notes),
        candidates=None if need.capability else [match.name for match in listed(need.result)],
    )


def _hint(needs: Sequence[Need], agents: Sequence[RankedAgent]) -> str | None:
    ambiguous = sum(need.result.decision == "ambiguous" for need in needs)
    nothing = sum(need.result.decision == "no_match" for need in needs)
    limited = [agent.agent for agent in agents if any(caution(need.relevant) for need in agent.needs if need.available)]
    parts = [
        HINT_AMBIGUOUS.format(ambiguous, len(needs)) if ambiguous else None,
        HINT_NO_MATCH.format(nothing, len(needs)) if nothing else None,
        f"Covered, but see relevant for {', '.join(limited)}." if limited else None,
    ]
    return " ".join(filter(None, parts)) or None


TOOL = ServiceTool(
    name="recommend_agent",
    title="Recommend an agent",
    family="decide",
    description=(
        "Choose an agent: rank the AI coding agents by how many of up to 20 needs, each a plain phrase, they cover, "
        "optionally on a tier (free, pro, business or enterprise). Not for one need."
    ),
    docs=(
        "Give the needs as a list, one plain phrase each, and the highest plan if there is a limit. Each need is "
        "matched by itself; `understood` says what it was taken to mean and how sure that is. A need that is ambiguous "
        "stays in `of` and its candidates are named; one that fits nothing is not counted. For each need an agent "
        "shows whether it is available, the lowest plan, the maturity and, in `relevant`, a statement of the catalog "
        "that bears on the need: read it, it can be a limitation. Agents that cover equally many needs share a rank, "
        "have `tie: true`, and are ordered by the lowest plan that has all that they cover, then by maturity; `ties` "
        "says what would set them apart. `documented: false` means that the catalog says nothing; it does not count "
        "as covered; a plan that is not known counts as within the limit."
    ),
    request=RecommendRequest,
    answer=RecommendAnswer,
    handler=recommend,
)
