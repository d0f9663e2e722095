"""Turns the options of `serve` into what it serves, the tools that it advertises, and to whom, over any transport."""

import argparse
from pathlib import Path

from server.catalog.folders import data_folder
from server.cli.options import chosen_costs
from server.cli.serve_options import start_of
from server.errors import CallerError
from server.matching.origins import AgentsFolder, CatalogFile, StoredCatalog
from server.toolset.permissions import Allowlist
from server.toolset.start import Start


def chosen_start(options: argparse.Namespace) -> Start:
    """Return the options with which the server starts.

    Raises:
        CallerError: the profile or the allowlist cannot be used, or tools are to be loaded where there are only two.
    """
    origin = next((name for name in ("--catalog", "--store") if chosen(options, name)), None)
    if origin and options.dynamic_tools:
        raise CallerError(
            f"--dynamic-tools was given with {origin}; a catalog of labels has two tools, which are always listed; "
            "leave one of them out"
        )
    return start_of(options, Allowlist.read(Path(options.allowlist)) if options.allowlist else None)


def chosen(options: argparse.Namespace, name: str) -> str | None:
    """Return the value of an option that not every subcommand has; None if it was not given."""
    value: str | None = getattr(options, name.removeprefix("--").replace("-", "_"), None)
    return value


def catalog_name(options: argparse.Namespace) -> str | None:
    """Return the page's title of a catalog of labels: the name of its file.

    None if it is in an engine, or is of agents.
    """
    store = chosen(options, "--store")
    if store:
        return Path(store).name if Path(store).suffix in {".labels", ".npz"} else None
    return Path(options.catalog).name if options.catalog else None


def chosen_origin(options: argparse.Namespace) -> AgentsFolder | CatalogFile | StoredCatalog:
    """Return what is to be served: a catalog file, a store, or a data folder."""
    costs = chosen_costs(options)
    if store := chosen(options, "--store"):
        return StoredCatalog(store, costs)
    if options.catalog:
        return CatalogFile(Path(options.catalog), costs)
    return AgentsFolder(data_folder(options.data), costs)
