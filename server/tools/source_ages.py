"""How old the catalog's sources are, and the pages that they cite."""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from urllib.parse import urldefrag

from server.catalog.models import Source
from server.tools.answers import Answer


class SourceCounts(Answer):
    """Citations of pages by entries, with the days on which the pages were read."""

    total: int
    stale: int
    undated: int
    not_active: int
    oldest: str | None = None
    newest: str | None = None


class PageCounts(Answer):
    """The pages that sources cite, without fragments; a page is stale if a source that cites it is."""

    total: int
    stale: int


class StalePage(Answer):
    """A page, and the oldest day on which it was read."""

    url: str
    verified_date: str


def oldest_day(today: date, stale_after: int) -> str:
    """Return the oldest day on which a source can have been read that is not stale."""
    return (today - timedelta(days=min(stale_after, today.toordinal() - 1))).isoformat()


def is_stale(source: Source, limit: str) -> bool:
    """Return whether a source is known to have been read before a day."""
    return source.verified_date is not None and source.verified_date < limit


def source_dates(sources: Iterable[Source]) -> list[str]:
    """Return the days on which dated sources were read, the oldest first."""
    return sorted(source.verified_date for source in sources if source.verified_date)


def count_sources(sources: Sequence[Source], limit: str) -> SourceCounts:
    """Return the sources, and how many of them are stale, undated or not active."""
    dates = source_dates(sources)
    return SourceCounts(
        total=len(sources),
        stale=sum(is_stale(source, limit) for source in sources),
        undated=len(sources) - len(dates),
        not_active=sum(source.status != "active" for source in sources),
        oldest=dates[0] if dates else None,
        newest=dates[-1] if dates else None,
    )


def count_pages(sources: Iterable[Source]) -> int:
    """Return the number of pages."""
    return len({_page(source) for source in sources})


def stale_pages(sources: Iterable[Source], limit: str) -> list[StalePage]:
    """Pages that a stale source cites, each with its oldest date; the oldest first."""
    oldest: dict[str, str] = {}
    for day, page in sorted((source.verified_date or "", _page(source)) for source in sources):
        if day and day < limit:
            oldest.setdefault(page, day)
    return [StalePage(url=page, verified_date=day) for page, day in oldest.items()]


def _page(source: Source) -> str:
    """Return the URL without its fragment."""
    return urldefrag(source.url).url
