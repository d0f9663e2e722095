"""The subcommand `doctor`."""

import argparse
import platform
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Final

from embeddings.errors import EmbeddingsError
from server import package_version
from server.catalog.catalog import phrase_book
from server.catalog.folders import data_folder
from server.catalog.loading import load_catalog
from server.catalog.statements import statements
from server.cli import doctor_sources
from server.cli.options import Subcommands, add_command, add_data, add_json, whole
from server.cli.understanding import APPROXIMATE
from server.errors import CallerError, CatalogError
from server.matching.encoders import load_encoder
from server.matching.matcher_provider import VECTORS_FILE
from server.matching.statement_source import STATEMENTS_FILE
from server.matching.vector_cache import cache_folder
from server.output import percent, print_json, table
from server.paths import shipped_data
from server.tools.catalog_status import STALE_AFTER
from server.toolset import registry
from server.toolset.tool_matcher import VECTORS_FILE as TOOL_VECTORS_FILE
from server.toolset.tool_matcher import tool_book

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
        return doctor_sources.run(options)
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
    encoder = load_encoder(1)
    return f"fingerprint {encoder.fingerprint}, {encoder.dimensions} dimensions"


def _vectors(folder: Path) -> str:
    from embeddings.matcher import Matcher

    matcher = Matcher.load(folder / VECTORS_FILE, load_encoder(1), phrase_book(load_catalog(folder)))
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
    statement_index.read(folder / STATEMENTS_FILE, load_encoder(1), found)
    return f"{folder / STATEMENTS_FILE} matches these {len(found)} statements"


def _tools() -> str:
    from embeddings.matcher import Matcher

    path = shipped_data() / TOOL_VECTORS_FILE
    matcher = Matcher.load(path, load_encoder(1), tool_book(registry.TOOLS))
    return f"{path} matches these {len(matcher.names)} tools"


def _cache() -> str:
    folder = cache_folder()
    held = list(folder.glob("*.npz")) if folder.is_dir() else []
    return f"{folder} holds {len(held)} vector files, {sum(path.stat().st_size for path in held) / 1e6:.1f} MB"
