"""`catalog_status`: does the matcher work, how much does the catalog hold, and how old is it?"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Final, Literal

from pydantic import Field

from server.catalog.catalog import Agent, Catalog
from server.catalog.models import CapabilityEntry
from server.errors import CallerError, brief
from server.matching.service import Service
from server.tools.answers import AbsentIfEmpty, Answer, Horizon, horizon
from server.tools.definition import Name, Request, ServiceTool
from server.tools.source_ages import (
    PageCounts,
    SourceCounts,
    StalePage,
    count_pages,
    count_sources,
    is_stale,
    oldest_day,
    stale_pages,
)

STALE_AFTER: Final = 90
"""A source older than this many days is stale, unless the caller gives another age: a quarter, a policy choice."""
FIRST_SHOWN: Final = 10
"""Stale pages in the first answer."""
MORE_SHOWN: Final = 100
"""Stale pages in the answer to a cursor."""
HINT_DEGRADED: Final = (
    "Phrases are compared by letters alone: the model or the vectors cannot be used, or are still being made. The "
    "server's log says why."
)


class StatusRequest(Request):
    """Arguments of `catalog_status`."""

    stale_after_days: Annotated[
        int, Field(ge=0, alias="staleAfterDays", description="a source older than this many days is stale")
    ] = STALE_AFTER
    cursor: Annotated[Name | None, Field(description="`nextCursor` of the answer before, for more stale pages")] = None


class Fingerprints(Answer):
    """The model and vectors that phrases are matched with."""

    model: str | None = None
    vectors: str | None = None


class VocabularyCounts(Answer):
    """The texts that phrases are matched against."""

    capabilities: int
    categories: int
    aliases: int
    phrasings: int


class EntryCounts(Answer):
    """Counts of the agents' entries for the capabilities; an entry is stale if one of its sources is."""

    total: int
    available: int
    unavailable: int
    undocumented: int
    stale: int


class AgentStatus(Answer):
    """Facts of the catalog about one agent: its entries, of which some are stale, and their sources."""

    agent: str
    as_of: Horizon | None = None
    version: str | None = None
    last_updated: str | None = None
    available: int
    unavailable: int
    undocumented: int
    stale: int
    sources: int
    stale_sources: int


class StatusAnswer(Answer):
    """Answer of `catalog_status`."""

    state: Literal["ready", "degraded"]
    fingerprints: Fingerprints
    degraded: bool
    hint: str | None = None
    today: str
    stale_before: str
    vocabulary: VocabularyCounts
    entries: EntryCounts
    sources: SourceCounts
    pages: PageCounts
    agents: list[AgentStatus]
    stale_pages: Annotated[list[StalePage] | None, AbsentIfEmpty] = None
    next_cursor: str | None = None


def status(service: Service, request: StatusRequest) -> StatusAnswer:
    """Count what the catalog holds, and date its sources."""
    catalog, matcher = service.catalog, service.matchers.get()
    today = datetime.now(UTC).date()
    limit = oldest_day(today, request.stale_after_days)
    stale = stale_pages(catalog.sources, limit)
    shown, cursor = _page_of(stale, request.cursor)
    return StatusAnswer(
        state="degraded" if matcher.is_degraded else "ready",
        fingerprints=Fingerprints(
            model=matcher.model_fingerprint, vectors=None if matcher.is_degraded else service.matchers.fingerprint
        ),
        degraded=matcher.is_degraded,
        hint=HINT_DEGRADED if matcher.is_degraded else None,
        today=today.isoformat(),
        stale_before=limit,
        vocabulary=_vocabulary(catalog),
        entries=_entries(catalog, limit),
        sources=count_sources(catalog.sources, limit),
        pages=PageCounts(total=count_pages(catalog.sources), stale=len(stale)),
        agents=[_agent(agent, len(catalog.capabilities), limit) for agent in catalog.agents.values()],
        stale_pages=shown,
        next_cursor=cursor,
    )


def _page_of(pages: Sequence[StalePage], cursor: str | None) -> tuple[list[StalePage], str | None]:
    """Return the pages that a cursor stands for, and the cursor of those after them, if there are any."""
    if cursor and not (cursor.isascii() and cursor.isdigit()):
        raise CallerError(
            f"got the cursor {brief(cursor)}; a cursor is the nextCursor of an answer before; call again with that, or "
            "without one to begin with the oldest pages"
        )
    start, count = (int(cursor), MORE_SHOWN) if cursor else (0, FIRST_SHOWN)
    end = start + count
    return list(pages[start:end]), str(end) if end < len(pages) else None


def _vocabulary(catalog: Catalog) -> VocabularyCounts:
    return VocabularyCounts(
        capabilities=len(catalog.capabilities),
        categories=len(catalog.categories),
        aliases=len(catalog.aliases),
        phrasings=sum(len(texts) for texts in catalog.phrasings.values()),
    )


def _entries(catalog: Catalog, limit: str) -> EntryCounts:
    entries = [entry for agent in catalog.agents.values() for entry in agent.entries.values()]
    available = sum(entry.available for entry in entries)
    return EntryCounts(
        total=len(entries),
        available=available,
        unavailable=len(entries) - available,
        undocumented=len(catalog.capabilities) * len(catalog.agents) - len(entries),
        stale=_count_stale(entries, limit),
    )


def _count_stale(entries: Iterable[CapabilityEntry], limit: str) -> int:
    return sum(any(is_stale(source, limit) for source in entry.sources) for entry in entries)


def _agent(agent: Agent, capabilities: int, limit: str) -> AgentStatus:
    entries = agent.entries.values()
    available = sum(entry.available for entry in entries)
    sources = [source for entry in entries for source in entry.sources]
    return AgentStatus(
        agent=agent.id,
        as_of=horizon(agent.as_of),
        version=agent.info.version,
        last_updated=agent.info.last_updated,
        available=available,
        unavailable=len(agent.entries) - available,
        undocumented=capabilities - len(agent.entries),
        stale=_count_stale(entries, limit),
        sources=len(sources),
        stale_sources=sum(is_stale(source, limit) for source in sources),
    )


TOOL = ServiceTool(
    name="catalog_status",
    title="Catalog status",
    family="catalog",
    description=(
        "State of this server's data: whether matching is degraded, fingerprints, counts and dates of entries and "
        "sources, the stalest pages."
    ),
    docs=(
        "Needs no arguments. `degraded` means that phrases are compared by letters alone because the model or the "
        "vectors cannot be used. An entry is what the data say of one capability of one agent; a source is one "
        "citation of a page by an entry. `asOf` is the release that an agent's entries describe, and the day of the "
        "newest page read. A source is stale when its page was read before `staleBefore`, which is "
        "`staleAfterDays` ago; it makes its page and its entry stale. Each of `agents` counts its own entries and "
        "sources. `stalePages` has the oldest first; `nextCursor`, passed as `cursor` with the same `staleAfterDays`, "
        "has the next ones."
    ),
    request=StatusRequest,
    answer=StatusAnswer,
    handler=status,
)
