"""`catalog_status`: how much does the catalog hold, how old is it, and does the matcher work?"""

from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Final
from urllib.parse import urldefrag

from pydantic import Field

from server.catalog.catalog import Agent
from server.catalog.models import Source
from server.matching.service import Service
from server.tools.answers import AbsentIfEmpty, Answer
from server.tools.definition import Request, ServiceTool

STALE_AFTER: Final = 90
"""A source older than this many days is stale, unless the caller gives another age: a quarter, a policy choice."""
MOST_STALE_SHOWN: Final = 10


class StatusRequest(Request):
    """Arguments of `catalog_status`."""

    stale_after_days: Annotated[
        int, Field(ge=0, alias="staleAfterDays", description="a source older than this many days is stale")
    ] = STALE_AFTER


class AgentStatus(Answer):
    """What the catalog holds about one agent."""

    agent: str
    version: str | None = None
    last_updated: str | None = None
    available: int
    unavailable: int
    undocumented: int


class SourceStatus(Answer):
    """How old the sources are."""

    total: int
    pages: int
    oldest: str | None = None
    newest: str | None = None
    undated: int
    stale: int
    stale_before: str
    stale_pages: Annotated[list[str] | None, AbsentIfEmpty] = None
    not_active: int


class MatcherStatus(Answer):
    """What phrases are matched with."""

    degraded: bool
    model: str | None = None
    vectors: str | None = None


class StatusAnswer(Answer):
    """Answer of `catalog_status`."""

    today: str
    capabilities: int
    categories: int
    aliases: int
    phrasings: int
    agents: list[AgentStatus]
    sources: SourceStatus
    matcher: MatcherStatus


def status(service: Service, request: StatusRequest) -> StatusAnswer:
    """Count what the catalog holds, and date its sources."""
    catalog = service.catalog
    today = datetime.now(UTC).date()
    matcher = service.matchers.get()
    return StatusAnswer(
        today=today.isoformat(),
        capabilities=len(catalog.capabilities),
        categories=len(catalog.categories),
        aliases=len(catalog.aliases),
        phrasings=sum(len(texts) for texts in catalog.phrasings.values()),
        agents=[_agent(agent, len(catalog.capabilities)) for agent in catalog.agents.values()],
        sources=_sources(service, today, request.stale_after_days),
        matcher=MatcherStatus(
            degraded=matcher.is_degraded,
            model=matcher.model_fingerprint,
            vectors=None if matcher.is_degraded else service.matchers.fingerprint,
        ),
    )


def _agent(agent: Agent, capabilities: int) -> AgentStatus:
    available = sum(entry.available for entry in agent.entries.values())
    return AgentStatus(
        agent=agent.id,
        version=agent.info.version,
        last_updated=agent.info.last_updated,
        available=available,
        unavailable=len(agent.entries) - available,
        undocumented=capabilities - len(agent.entries),
    )


def _sources(service: Service, today: date, stale_after: int) -> SourceStatus:
    sources = service.catalog.sources
    dates = sorted(source.verified_date for source in sources if source.verified_date)
    limit = (today - timedelta(days=min(stale_after, today.toordinal() - 1))).isoformat()
    stale = [source for source in sources if source.verified_date and source.verified_date < limit]
    return SourceStatus(
        total=len(sources),
        pages=len({_page(source) for source in sources}),
        oldest=dates[0] if dates else None,
        newest=dates[-1] if dates else None,
        undated=len(sources) - len(dates),
        stale=len(stale),
        stale_before=limit,
        stale_pages=_oldest_pages(stale),
        not_active=sum(source.status != "active" for source in sources),
    )


def _oldest_pages(stale: list[Source]) -> list[str]:
    """Addresses of stale pages, the oldest first."""
    ordered = sorted(stale, key=lambda source: (source.verified_date or "", source.url))
    return list(dict.fromkeys(map(_page, ordered)))[:MOST_STALE_SHOWN]


def _page(source: Source) -> str:
    """The URL without its fragment."""
    return urldefrag(source.url).url


TOOL = ServiceTool(
    name="catalog_status",
    title="Catalog status",
    family="catalog",
    description=(
        "State of the catalog itself: counts, dates, stale sources, fingerprints of model and vectors, and whether "
        "phrases are matched degraded."
    ),
    docs=(
        "Needs no arguments; a source is stale when it is older than `staleAfterDays`. `sources` has the oldest and "
        "newest date on which a vendor's page was read, how many are stale and which ones. `matcher.degraded` means "
        "that phrases are compared by letters alone because the model or the vectors cannot be used."
    ),
    request=StatusRequest,
    answer=StatusAnswer,
    handler=status,
)
