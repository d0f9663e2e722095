"""`recommend_agent`: which agent covers these needs best?"""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Annotated, Final, Literal

from pydantic import Field

from embeddings.ranking.match_result import Decision, MatchedBy, Note
from server.catalog.catalog import Catalog
from server.catalog.models import TIERS, Tier, known_tier
from server.errors import CallerError
from server.matching.service import Service
from server.tools.answers import AbsentIfEmpty, Answer, Confidence, echo, listed
from server.tools.definition import Name, Request, ServiceTool
from server.tools.paging import caution
from server.tools.ranked_agents import Need, NeedStanding, RankedAgent, ranked, understood

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
    tier: Annotated[
        Name | None, Field(examples=list(TIERS), description="highest plan: free, pro, business or enterprise")
    ] = None


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
        "Choose an agent: rank the AI coding agents by how many of several needs, each a plain phrase, they cover, "
        "optionally up to a plan. Not for one need."
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
