"""`recommend_agent`: which agents cover a list of needs?"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Annotated, Final, Literal

from pydantic import Field

from embeddings.ranking.match_result import Decision, MatchedBy, Note
from server.catalog.catalog import Agent, Catalog
from server.catalog.facets import Verdict
from server.catalog.models import Access, MaturityLevel, Tier
from server.catalog.plans import TIERS, Means, access_words
from server.errors import CallerError
from server.matching.asking import AskedNeed
from server.matching.facet_reader import leads
from server.matching.service import Service
from server.tools.answers import AbsentIfEmpty, Answer, Confidence, echo, listed, subject_hint
from server.tools.definition import ACCESS_NAMES, Name, Plan, Request, ServiceTool
from server.tools.paging import cut
from server.tools.verdicts import COVERS, standing

Ranked = tuple[AskedNeed | None, ...]
"""What each need means, in the order given; None where it fits nothing, or could mean several capabilities."""

LONGEST_STATEMENT: Final = 200
"""Maximum characters of the sentence of one need of one agent."""

MAX_CHARACTERS: Final = 3_900
"""Maximum characters of all sentences of an answer; those of *no* and *partly* are kept first."""

FIELDS_OF_STATEMENT: Final = 40
"""Characters that the other fields of a statement add to it."""

MATURITY: Final[tuple[MaturityLevel, ...]] = ("stable", "beta", "experimental", "deprecated")
"""Levels of maturity, the best first."""


class NeedStanding(Answer):
    """How an agent stands on one need; `setup` and `source` are there for the agent that comes first."""

    capability: str | None = None
    verdict: Verdict | None = None
    value: str | None = None
    because: str | None = None
    available: bool | None = None
    documented: Literal[False] | None = None
    tier: Tier | None = None
    access: Annotated[list[Access] | None, AbsentIfEmpty] = None
    maturity_level: MaturityLevel | None = None
    beyond: Literal[True] | None = None
    setup: str | None = None
    source: str | None = None

    @property
    def counted(self) -> float:
        """How far the need is covered, from 0 to 1."""
        return 0.0 if self.beyond or self.capability is None else COVERS[self.verdict or "yes"]


class RankedAgent(Answer):
    """One agent's coverage: *yes* counts 1, *partly* 0.5. `tier` is the lowest plan that has all that it covers."""

    rank: int
    agent: str
    tie: Literal[True] | None = None
    covered: float
    of: int
    tier: Tier | None = None
    no_plan_needed: Literal[True] | None = None
    needs: list[NeedStanding]


def ranked(catalog: Catalog, needs: Ranked, means: Means) -> list[RankedAgent]:
    """Return every agent, the one that covers most first; none if no need is clear."""
    if not any(needs):
        return []
    agents = [_coverage(agent, [_standing(agent, need, means) for need in needs]) for agent in catalog.agents.values()]
    found = _with_ranks(sorted(agents, key=_order))
    first = catalog.agents[found[0].agent]
    found[0] = found[0].model_copy(update={"needs": [_with_setup(first, each) for each in found[0].needs]})
    return _shortened(found)


def _standing(agent: Agent, need: AskedNeed | None, means: Means) -> NeedStanding:
    if need is None or need.capability is None:
        return NeedStanding(verdict="undocumented")
    entry, found = agent.entries.get(need.capability), standing(agent, need)
    offered = entry if entry and entry.available else None
    return NeedStanding(
        capability=need.capability,
        verdict=found.verdict,
        value=found.value,
        because=found.because,
        available=entry.available if entry else None,
        documented=False if entry is None else None,
        tier=offered.tier if offered else None,
        access=list(offered.access) if offered else [],
        maturity_level=offered.maturity_level if offered else None,
        beyond=True if offered and not means.open(offered) else None,
        source=found.source,
    )


def _with_setup(agent: Agent, found: NeedStanding) -> NeedStanding:
    entry = agent.entries.get(found.capability or "")
    notes = entry.implementation_notes if entry and found.counted else None
    return found.model_copy(update={"setup": cut(notes.setup, LONGEST_STATEMENT) if notes and notes.setup else None})


def _coverage(agent: Agent, standings: list[NeedStanding]) -> RankedAgent:
    covered = [need for need in standings if need.counted]
    plans = [need.tier for need in covered if need.tier]
    free_of_plans = bool(covered) and all(access_words(need.access or ()) for need in covered)
    return RankedAgent(
        rank=0,
        agent=agent.id,
        covered=sum(need.counted for need in standings),
        of=len(standings),
        tier=max(plans, key=TIERS.index, default=None),
        no_plan_needed=True if free_of_plans else None,
        needs=standings,
    )


def _order(agent: RankedAgent) -> tuple[float, bool, int, int, int, str]:
    """Coverage, then whether a plan is needed, the plan that all of it needs, the sums of plans and of maturity.

    A plan or level that is not known comes after the known ones.
    """
    covered = [need for need in agent.needs if need.counted]
    plans = [TIERS.index(need.tier) if need.tier else len(TIERS) for need in covered if not need.access]
    levels = [MATURITY.index(need.maturity_level) if need.maturity_level else len(MATURITY) for need in covered]
    return -agent.covered, not agent.no_plan_needed, max(plans, default=0), sum(plans), sum(levels), agent.agent


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


def _shortened(agents: list[RankedAgent]) -> list[RankedAgent]:
    """Return the agents with as many sentences as there is room for, those that take something back first."""
    said = [
        (COVERS[need.verdict or "yes"], place, number)
        for place, agent in enumerate(agents)
        for number, need in enumerate(agent.needs)
        if need.because
    ]
    kept: set[tuple[int, int]] = set()
    left = MAX_CHARACTERS
    for _, place, number in sorted(said):
        left -= len(cut(agents[place].needs[number].because or "", LONGEST_STATEMENT)) + FIELDS_OF_STATEMENT
        if left < 0:
            break
        kept.add((place, number))
    return [
        agent.model_copy(
            update={"needs": [_with_because(need, (place, at) in kept, place) for at, need in enumerate(agent.needs)]}
        )
        for place, agent in enumerate(agents)
    ]


def _with_because(need: NeedStanding, kept: bool, place: int) -> NeedStanding:
    """Return a standing with its sentence if it is kept; only the first agent has access and a source for each need."""
    because = cut(need.because, LONGEST_STATEMENT) if need.because and kept else None
    more = {} if place == 0 else {"access": None, "source": None}
    return need.model_copy(update={"because": because, **more})


MAX_NAMED: Final = 2
"""Maximum capabilities or phrases that are named for one way to break a tie."""

LONGEST_PHRASE: Final = 60
"""Maximum characters of a phrase that is named."""


class Tie(Answer):
    """Agents of one rank, and what would set them apart."""

    rank: int
    agents: list[str]
    broken_by: str


def ties(catalog: Catalog, agents: Sequence[RankedAgent], needs: Sequence[AskedNeed], clear: Ranked) -> list[Tie]:
    """Return the ranks that several agents share."""
    groups = [(rank, list(tied)) for rank, tied in groupby(agents, key=lambda agent: agent.rank)]
    return [
        Tie(rank=rank, agents=[agent.agent for agent in tied], broken_by=_broken_by(catalog, tied, needs, clear))
        for rank, tied in groups
        if len(tied) > 1
    ]


def _broken_by(catalog: Catalog, tied: Sequence[RankedAgent], needs: Sequence[AskedNeed], clear: Ranked) -> str:
    left = [need for need, found in zip(needs, clear, strict=True) if found is None]
    unclear = [repr(echo(need.result.query, LONGEST_PHRASE)) for need in left]
    ways = [
        ("which need counts more", _that_differ(tied, lambda need: need.verdict)),
        ("the plan", _that_differ(tied, lambda need: need.tier if need.counted else None)),
        ("the maturity", _that_differ(tied, lambda need: need.maturity_level if need.counted else None)),
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
        if standings[0].capability and len(set(known.values())) > 1:
            differing.append(f"{standings[0].capability} ({_told(known)})")
    return _first(differing)


def _told(values: dict[str, object]) -> str:
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
    "{} of {} needs could mean several capabilities and count for no agent. Ask again with the candidate that is meant."
)
HINT_NO_MATCH: Final = (
    "{} of {} needs fit no capability and count for no agent. If no candidate is meant, say that the catalog does not "
    "cover that need."
)
HINT_UNSURE: Final = "Needs with unsure: true count by their likeliest reading."
HINT_NOWHERE: Final = "No agent has: {}."
HINT_BEYOND: Final = "No agent has, with this plan or access: {}."


class RecommendRequest(Request):
    """Arguments of `recommend_agent`."""

    needs: Annotated[list[str], Field(min_length=1, max_length=MAX_NEEDS, description="one plain phrase for each")]
    tier: Annotated[Plan | None, Field(description="highest plan that counts")] = None
    access: Annotated[Name | None, Field(description="what opens it without a plan counts, too: " + ACCESS_NAMES)] = (
        None
    )


class UnderstoodNeed(Answer):
    """How a need was understood, or the candidates if that is unclear.

    With `opposite`, the need is the opposite of the question; with `unsure`, another candidate is possible.
    `conditions` are further questions that have to hold, because of other words or another need.
    """

    need: str
    decision: Decision
    capability: str | None = None
    question: str | None = None
    opposite: Literal[True] | None = None
    conditions: Annotated[list[str] | None, AbsentIfEmpty] = None
    unsure: Literal[True] | None = None
    matched_by: MatchedBy | None = None
    match_confidence: Confidence
    notes: Annotated[list[Note] | None, AbsentIfEmpty] = None
    candidates: list[str] | None = None


class RecommendAnswer(Answer):
    """Answer of `recommend_agent`."""

    tier: Tier | None = None
    access: Annotated[list[Access] | None, AbsentIfEmpty] = None
    degraded: Literal[True] | None = None
    understood: list[UnderstoodNeed]
    agents: list[RankedAgent]
    ties: Annotated[list[Tie] | None, AbsentIfEmpty] = None
    hint: str | None = None


def recommend(service: Service, request: RecommendRequest) -> RecommendAnswer:
    """Rank the agents by how far they cover the needs."""
    phrases = [need for need in request.needs if need.strip()]
    if not phrases:
        raise CallerError(
            "recommend_agent got only blank needs; a need is a phrase such as 'undo changes'; give at least one"
        )
    means = Means.of(request.tier, request.access)
    service.check_windows("the list of needs", phrases)
    needs = [service.ask(phrase, is_wish=True) for phrase in phrases]
    found = [_clear(need) for need in needs]
    clear = tuple(need and need.beside(found, service.catalog.facets) for need in found)
    agents = ranked(service.catalog, clear, means)
    return RecommendAnswer(
        tier=means.tier,
        access=list(means.access),
        degraded=True if any(need.result.degraded for need in needs) else None,
        understood=[_shown(service.catalog, *each) for each in zip(needs, clear, strict=True)],
        agents=agents,
        ties=ties(service.catalog, agents, needs, clear),
        hint=_hint(needs, clear, agents, means),
    )


def _clear(need: AskedNeed) -> AskedNeed | None:
    """Return a need that can be counted, an ambiguous one with its first candidate if that clearly leads."""
    if need.capability is not None:
        return need
    shared = need.result.matches[0].matched_by in ("exact", "alias")
    if need.result.decision != "ambiguous" or not leads(need.result) or shared:
        return None
    return replace(need, result=replace(need.result, decision="resolved"))


def _shown(catalog: Catalog, need: AskedNeed, clear: AskedNeed | None) -> UnderstoodNeed:
    facet, best = need.facet, need.result.matches[0]
    sure = facet.confidence if facet and best.name != facet.capability else best.match_confidence
    return UnderstoodNeed(
        need=echo(need.result.query),
        decision="resolved" if need.capability else need.result.decision,
        capability=clear.capability if clear else None,
        question=facet.facet.question if facet else None,
        opposite=True if (clear or need).opposite else None,
        conditions=[catalog.questions[key] for key in clear.conditions] if clear else [],
        unsure=True if clear and (need.capability is None or need.alternatives) else None,
        matched_by=best.matched_by if clear else None,
        match_confidence=round(sure, 3),
        notes=list(need.result.notes),
        candidates=None if clear else [match.name for match in listed(need.result)],
    )


def _hint(needs: Sequence[AskedNeed], clear: Ranked, agents: Sequence[RankedAgent], means: Means) -> str | None:
    read = list(zip(needs, clear, strict=True))
    left = [need.result.decision for need, found in read if found is None]
    ambiguous, nothing = left.count("ambiguous"), left.count("no_match")
    unsure = any(found and (need.capability is None or need.alternatives) for need, found in read)
    nowhere = [
        echo(need.result.query, LONGEST_PHRASE)
        for place, (need, found) in enumerate(read)
        if found and agents and not any(agent.needs[place].counted for agent in agents)
    ]
    parts = [
        HINT_AMBIGUOUS.format(ambiguous, len(needs)) if ambiguous else None,
        HINT_NO_MATCH.format(nothing, len(needs)) if nothing else None,
        HINT_UNSURE if unsure else None,
        (HINT_BEYOND if means.limited else HINT_NOWHERE).format("; ".join(nowhere)) if nowhere else None,
        *(subject_hint(need.result.query) for need in needs),
    ]
    return " ".join(dict.fromkeys(filter(None, parts))) or None


TOOL = ServiceTool(
    name="recommend_agent",
    title="Recommend an agent",
    family="decide",
    description=(
        "Choose an agent: rank the AI coding agents by how many needs, each a plain phrase, they cover, optionally on "
        "a tier (free, pro, business or enterprise). Not for one need."
    ),
    docs=(
        "Give the needs as a list, one plain phrase each, the highest plan if there is a limit, and in `access` what "
        "the caller has beside a plan. `understood` says what each need was taken to mean: a `question`, or a "
        "capability as a whole, with the `conditions` that its other words or another need put on it. Under each "
        "agent, each need has its item in its place: `verdict` (yes, no, partly, or undocumented, which never counts) "
        "or `value`, and `because`, the sentence that says so; `beyond: true`: neither plan nor access opens it. "
        "`covered` counts yes as 1 and partly as 0.5. `ties` says what would set agents of one rank apart. A need that "
        "is unclear counts for nobody; one whose likeliest reading clearly leads counts and is marked `unsure`. The "
        "first agent has setup and sources."
    ),
    request=RecommendRequest,
    answer=RecommendAnswer,
    handler=recommend,
)
