"""`recommend_agent`: which agent covers these needs best?"""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from pydantic import Field

from embeddings.ranking.match_result import Decision, MatchedBy, Note
from server.catalog.models import Tier
from server.catalog.plans import TIERS, known_tier
from server.errors import CallerError
from server.matching.service import Service
from server.tools.answers import AbsentIfEmpty, Answer, Confidence, echo, listed
from server.tools.definition import Name, Request, ServiceTool
from server.tools.limits import caution
from server.tools.needs import Need, understood
from server.tools.ranked_agents import RankedAgent, ranked
from server.tools.ties import Tie, ties

MOST_NEEDS: Final = 20
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

    needs: Annotated[list[str], Field(min_length=1, max_length=MOST_NEEDS, description="one plain phrase for each")]
    tier: Annotated[
        Name | None, Field(examples=list(TIERS), description="highest plan: free, pro, business or enterprise")
    ] = None


class UnderstoodNeed(Answer):
    """What a need was taken to mean, or the candidates if that is unclear."""

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
