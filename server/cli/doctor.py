"""The subcommand `doctor`: checks of the installation, and with `--sources` of how old the source pages are."""

import argparse
import platform
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urldefrag

from embeddings.errors import EmbeddingsError
from server import package_version
from server.catalog.catalog import Catalog, phrase_book
from server.catalog.folders import AGENT_FILE, agents_folder, data_folder
from server.catalog.loading import load_catalog
from server.catalog.reading import read_agent_file
from server.catalog.runs import agent_runs, check_runs
from server.catalog.statements import statements
from server.cli.options import Subcommands, add_command, add_data, add_json, whole
from server.cli.understanding import APPROXIMATE
from server.errors import CallerError, CatalogError
from server.matching.encoders import load_agents_encoder
from server.matching.facet_reader import FACET_VECTORS_FILE, facet_book
from server.matching.matcher_provider import VECTORS_FILE
from server.matching.statement_source import STATEMENTS_FILE
from server.matching.vector_cache import cache_folder
from server.output import bold, percent, print_json, table
from server.paths import shipped_data
from server.tools.catalog_status import STALE_AFTER
from server.toolset import registry
from server.toolset.tool_matcher import VECTORS_FILE as TOOL_VECTORS_FILE
from server.toolset.tool_matcher import tool_book

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


def check_sources(options: argparse.Namespace, today: date | None = None) -> int:
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


PACKAGES: Final = ("onnxruntime", "tokenizers", "numpy", "mcp")
TRIAL: Final = ("can it undo what it did?", "Checkpoints")


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "doctor", "check that this installation is complete and works", run)
    command.add_argument(
        "--sources",
        action="store_true",
        help="list the catalog's source pages instead: those of statements that age fast first, then the oldest",
    )
    command.add_argument(
        "--links", action="store_true", help="with --sources: request each page to see whether it still exists"
    )
    command.add_argument(
        "--stale-after",
        type=whole,
        metavar="DAYS",
        help=f"with --sources: age in days after which a page is stale (default: {STALE_AFTER})",
    )
    add_data(command)
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """Run every check; exit 1 if any fails."""
    if options.sources:
        return check_sources(options)
    if options.links or options.stale_after is not None:
        raise CallerError(
            "--links or --stale-after was given without --sources; they apply only to the list of pages; add --sources"
        )
    checks: dict[str, Callable[[], str]] = {
        "versions": _versions,
        "catalog": lambda: _catalog(data_folder(options.data)),
        "model": _model,
        "vectors": lambda: _vectors(data_folder(options.data)),
        "statements": lambda: _statements(data_folder(options.data)),
        "facets": lambda: _facets(data_folder(options.data)),
        "runs": lambda: _runs(data_folder(options.data)),
        "tools": _tools,
        "cache": _cache,
    }
    results = [(name, *_outcome(check)) for name, check in checks.items()]
    if options.json:
        for name, passed, said in results:
            print_json({"check": name, "ok": passed, "detail": said})
    else:
        print(table(["check", "", "detail"], [[name, "ok" if passed else "FAILED", ""] for name, passed, _ in results]))
        for name, _, said in results:
            print(f"{name}: {said}")
    return 0 if all(passed for _, passed, _ in results) else 1


def _outcome(check: Callable[[], str]) -> tuple[bool, str]:
    try:
        return True, check()
    except (CatalogError, EmbeddingsError, OSError) as error:
        return False, str(error)


def _versions() -> str:
    packages = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    return f"agent-capabilities {package_version()}, Python {platform.python_version()}, {packages}"


def _catalog(folder: Path) -> str:
    catalog = load_catalog(folder)
    entries = sum(len(agent.entries) for agent in catalog.agents.values())
    dates = [
        source.verified_date
        for agent in catalog.agents.values()
        for entry in agent.entries.values()
        for source in entry.sources
        if source.verified_date
    ]
    seen = f", verified {min(dates)} to {max(dates)}" if dates else ""
    return (
        f"{len(catalog.capabilities)} capabilities, {len(catalog.agents)} agents, {entries} entries{seen} in {folder}"
    )


def _model() -> str:
    encoder = load_agents_encoder(1)
    return f"fingerprint {encoder.fingerprint}, {encoder.dimensions} dimensions"


def _vectors(folder: Path) -> str:
    from embeddings.matcher import Matcher

    matcher = Matcher.load(folder / VECTORS_FILE, load_agents_encoder(1), phrase_book(load_catalog(folder)))
    phrase, expected = TRIAL
    best = matcher.match(phrase).matches[0]
    trial = (
        f"{phrase!r} means {best.name} ({percent(best.match_confidence)})" if expected in matcher.names else "no trial"
    )
    fit = f"; {APPROXIMATE}" if matcher.is_approximate else ""
    return f"{folder / VECTORS_FILE} matches this catalog and model; {trial}{fit}"


def _statements(folder: Path) -> str:
    from embeddings.statements import statement_index

    found = statements(load_catalog(folder))
    if not found:
        return "the entries say nothing that could be pointed out"
    statement_index.read(folder / STATEMENTS_FILE, load_agents_encoder(1), found)
    return f"{folder / STATEMENTS_FILE} matches these {len(found)} statements"


def _facets(folder: Path) -> str:
    from embeddings.matcher import Matcher

    catalog = load_catalog(folder)
    if not catalog.facets:
        return "there are no facets"
    Matcher.load(folder / FACET_VECTORS_FILE, load_agents_encoder(1), facet_book(catalog))
    cells = sum(len(agent.cells) for agent in catalog.agents.values())
    facets = sum(map(len, catalog.facets.values()))
    return f"{folder / FACET_VECTORS_FILE} matches these {facets} facets, which have {cells} cells"


def _runs(folder: Path) -> str:
    told = []
    for agent in load_catalog(folder).agents:
        path, runs = agent_runs(folder, agent)
        if runs is not None:
            check_runs(read_agent_file(agents_folder(folder) / agent / "capabilities" / AGENT_FILE), runs, path)
            told.append(f"{agent} {runs.version} ({len(runs.runs)} runs)")
    return f"records hold for {', '.join(told)}" if told else "no records of runs"


def _tools() -> str:
    from embeddings.matcher import Matcher

    path = shipped_data() / TOOL_VECTORS_FILE
    matcher = Matcher.load(path, load_agents_encoder(1), tool_book(registry.TOOLS))
    return f"{path} matches these {len(matcher.names)} tools"


def _cache() -> str:
    folder = cache_folder()
    held = list(folder.glob("*.npz")) if folder.is_dir() else []
    return f"{folder} holds {len(held)} vector files, {sum(path.stat().st_size for path in held) / 1e6:.1f} MB"
