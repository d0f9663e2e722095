"""`recommend_agent`: which agent covers these needs best?"""

from typing import Annotated, Final, Literal

from pydantic import Field

from embeddings.ranking.match_result import Decision, MatchedBy, Note
from server.catalog.models import Tier
from server.catalog.plans import known_tier, within
from server.errors import CallerError
from server.matching.service import Service
from server.tools.answers import AbsentIfEmpty, Answer, Confidence, echo
from server.tools.definition import Name, Request, ServiceTool
from server.tools.needs import Need, understood

MOST_NEEDS: Final = 20
"""Maximum needs in one call: more than a shortlist depends on, and few enough to answer in well under a second."""


HINT_UNCLEAR: Final = (
    "Not counted: {} of {} needs. For each, ask again with the name of the candidate that is meant; if none is meant, "
    "say that the catalog does not cover that need."
)


class RecommendRequest(Request):
    """Arguments of `recommend_agent`."""

    needs: Annotated[list[str], Field(min_length=1, max_length=MOST_NEEDS, description="one plain phrase for each")]
    tier: Annotated[Name | None, Field(description="highest plan: free, pro, business or enterprise")] = None


class UnderstoodNeed(Answer):
    """What a need was taken to mean, or the candidates if that is unclear."""

    need: str
    decision: Decision
    capability: str | None = None
    matched_by: MatchedBy | None = None
    match_confidence: Confidence
    notes: Annotated[list[Note] | None, AbsentIfEmpty] = None
    candidates: list[str] | None = None


class NeedStanding(Answer):
    """How an agent stands on one need."""

    capability: str
    covered: bool
    available: bool | None = None
    documented: Literal[False] | None = None
    tier: Tier | None = None


class RankedAgent(Answer):
    """One agent's coverage."""

    agent: str
    covered: int
    of: int
    needs: list[NeedStanding]


class RecommendAnswer(Answer):
    """Answer of `recommend_agent`."""

    tier: Tier | None = None
    degraded: Literal[True] | None = None
    understood: list[UnderstoodNeed]
    agents: list[RankedAgent]
    hint: str | None = None


def recommend(service: Service, request: RecommendRequest) -> RecommendAnswer:
    """Rank the agents by how many of the needs they cover."""
    if not any(need.strip() for need in request.needs):
        raise CallerError(
            "recommend_agent got only blank needs; a need is a phrase such as 'undo changes'; give at least one"
        )
    tier = known_tier(request.tier) if request.tier else None
    needs = understood(service, [need for need in request.needs if need.strip()])
    names = list(dict.fromkeys(need.capability for need in needs if need.capability))
    agents = [_ranked(service, agent, names, tier) for agent in service.catalog.agents]
    unclear = sum(need.capability is None for need in needs)
    return RecommendAnswer(
        tier=tier,
        degraded=True if any(need.result.degraded for need in needs) else None,
        understood=[_shown(need) for need in needs],
        agents=sorted(agents, key=lambda ranked: -ranked.covered) if names else [],
        hint=HINT_UNCLEAR.format(unclear, len(needs)) if unclear else None,
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
        candidates=None if need.capability else [match.name for match in need.result.matches],
    )


def _ranked(service: Service, agent: str, names: list[str], tier: Tier | None) -> RankedAgent:
    standings = [_standing(service, agent, name, tier) for name in names]
    return RankedAgent(agent=agent, covered=sum(need.covered for need in standings), of=len(names), needs=standings)


def _standing(service: Service, agent: str, name: str, tier: Tier | None) -> NeedStanding:
    entry = service.catalog.entry(agent, name)
    if entry is None:
        return NeedStanding(capability=name, covered=False, documented=False)
    return NeedStanding(
        capability=name,
        covered=within(entry, tier),
        available=entry.available,
        tier=entry.tier if entry.available else None,
    )


TOOL = ServiceTool(
    name="recommend_agent",
    title="Recommend an agent",
    family="decide",
    description=(
        "Rank the AI coding agents by how many of several needs, given in plain words, each covers; optionally only "
        "up to a plan (free, pro, business, enterprise)."
    ),
    docs=(
        "Give the needs as a list, one plain phrase each, and the highest plan if there is a limit. Each need is "
        "matched by itself; `understood` says what it was taken to mean and how sure that is. A need that is ambiguous "
        "or fits nothing is not counted, and its candidates are named. Agents with equal coverage stand in "
        "alphabetical order. `documented: false` means that the catalog says nothing; it does not count as covered; a "
        "plan that is not known counts as within the limit."
    ),
    request=RecommendRequest,
    answer=RecommendAnswer,
    handler=recommend,
)
