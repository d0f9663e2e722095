"""Turns the options of `serve` into what it serves, the tools that it advertises, and to whom, over any transport."""

import argparse
from pathlib import Path

from server.catalog.folders import data_folder
from server.cli.options import chosen_costs
from server.cli.surface_options import start_of
from server.errors import CallerError
from server.matching.origins import AgentsFolder, CatalogFile
from server.toolset.allowlist import Allowlist
from server.toolset.start import Start


def chosen_start(options: argparse.Namespace) -> Start:
    """The options with which the server starts.

    Raises:
        CallerError: the profile or the allowlist cannot be used, or tools are to be loaded where there are only two.
    """
    if options.catalog and options.dynamic_tools:
        raise CallerError(
            "--dynamic-tools was given with --catalog; a catalog file has two tools, which are always listed; leave "
            "one of them out"
        )
    return start_of(options, Allowlist.read(Path(options.allowlist)) if options.allowlist else None)


def chosen_origin(options: argparse.Namespace) -> AgentsFolder | CatalogFile:
    """What is to be served: a catalog file, or a data folder."""
    costs = chosen_costs(options)
    if options.catalog:
        return CatalogFile(Path(options.catalog), costs)
    return AgentsFolder(data_folder(options.data), costs)
