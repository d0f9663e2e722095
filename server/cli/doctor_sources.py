"""The report of `doctor --sources`: how old the catalog's source pages are, and whether they still exist."""

import argparse
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag

from server.catalog.catalog import Catalog
from server.catalog.folders import data_folder
from server.catalog.loading import load_catalog
from server.output import bold, print_json
from server.tools.catalog_status import STALE_AFTER

if TYPE_CHECKING:
    from server.cli.link_check import Link


@dataclass(frozen=True)
class Page:
    """A vendor's page.

    Attributes:
        address: its URL, without the fragment.
        verified: oldest date on which a fact was checked against it; None if no date is known.
        facts: number of pairs of agent and capability that cite it.
        fast: how many of these have statements that age fast.
    """

    address: str
    verified: date | None
    facts: int
    fast: int = 0

    def age(self, today: date) -> int | None:
        """Days since it was verified."""
        return (today - self.verified).days if self.verified else None


def run(options: argparse.Namespace, today: date | None = None) -> int:
    """List the pages, those of statements that age fast first, then the oldest; exit 1 if any is gone."""
    today = today or datetime.now(UTC).date()
    stale_after = STALE_AFTER if options.stale_after is None else options.stale_after
    pages = pages_by_age(load_catalog(data_folder(options.data)))
    links = _checked_links(pages) if options.links else {}
    rows = [_row(page, today, stale_after, links.get(page.address)) for page in pages]
    summary: dict[str, Any] = {
        "pages": len(rows),
        "stale": sum(row["stale"] is True for row in rows),
        "undated": sum(row["stale"] is None for row in rows),
        "staleAfterDays": stale_after,
    }
    if fast := sum(page.fast > 0 for page in pages):
        summary["agesFast"] = fast
    if options.links:
        found = Counter(link.state for link in links.values())
        summary["links"] = {state: found[state] for state in ("ok", "moved", "gone", "failed")}
    if options.json:
        for value in (*rows, summary):
            print_json(value)
    else:
        _print_text(rows, summary)
    return 1 if any(link.state == "gone" for link in links.values()) else 0


def pages_by_age(catalog: Catalog) -> list[Page]:
    """Return every page that a fact cites: those of entries that age fast, then the others, each the oldest first.

    Pages without a date come last of either.
    """
    facts: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    fast: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    dates: defaultdict[str, set[date]] = defaultdict(set)
    for agent in catalog.agents.values():
        for name, entry in agent.entries.items():
            for source in entry.sources:
                address = urldefrag(source.url).url
                facts[address].add((agent.id, name))
                if entry.ages_fast:
                    fast[address].add((agent.id, name))
                if source.verified_date:
                    dates[address].add(date.fromisoformat(source.verified_date))
    pages = [
        Page(address, min(dates[address], default=None), len(citing), len(fast[address]))
        for address, citing in facts.items()
    ]
    return sorted(pages, key=lambda page: (not page.fast, page.verified or date.max, page.address))


def _checked_links(pages: list[Page]) -> "Mapping[str, Link]":
    # Imported here because only --links needs the HTTP client.
    from server.cli.link_check import check_links

    return check_links(page.address for page in pages)


def _row(page: Page, today: date, stale_after: int, link: "Link | None") -> dict[str, Any]:
    age = page.age(today)
    row: dict[str, Any] = {
        "verifiedDate": page.verified.isoformat() if page.verified else None,
        "ageInDays": age,
        "stale": None if age is None else age > stale_after,
        "facts": page.facts,
        "page": page.address,
    }
    if page.fast:
        row["agesFast"] = page.fast
    if link:
        row |= {"link": link.state, "detail": link.detail}
    return row


def _print_text(rows: list[dict[str, Any]], summary: dict[str, Any]) -> None:
    """Print a line per page. Lines are not cut at the terminal's width, so that addresses stay complete."""
    links, fast = "links" in summary, "agesFast" in summary
    head = ("ages fast  " if fast else "") + ("link    " if links else "")
    print(bold(f"verified     days           facts  {head}page"))
    for row in rows:
        state = "undated" if row["stale"] is None else "stale" if row["stale"] else "fresh"
        age = "" if row["ageInDays"] is None else row["ageInDays"]
        marked = f"{'ages fast' if 'agesFast' in row else '':<9}  " if fast else ""
        asked = f"{row['link']:<6}  " if links else ""
        detail = f"  {'-> ' if row['link'] == 'moved' else ''}{row['detail']}" if row.get("detail") else ""
        date_ = row["verifiedDate"] or "-"
        print(f"{date_:<10}  {age:>5}  {state:<7}  {row['facts']:>7}  {marked}{asked}{row['page']}{detail}")
    said = f"{summary['pages']} pages, {summary['stale']} stale (older than {summary['staleAfterDays']} days)"
    answers = "; links: " + ", ".join(f"{n} {state}" for state, n in summary["links"].items()) if links else ""
    aging = f", {summary['agesFast']} of statements that age fast" if fast else ""
    print(f"{said}, {summary['undated']} undated{aging}{answers}")
