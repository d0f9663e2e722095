"""The subcommand `site`."""

import argparse
from pathlib import Path

from server.catalog.folders import data_folder
from server.catalog.loading import load_catalog
from server.cli.options import Subcommands, add_command, add_data


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(
        subcommands,
        "site",
        "write the capabilities of all agents as web pages, for any web host or to read from disk",
        run,
    )
    command.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        required=True,
        help="folder to write; it must be new, empty, or hold an earlier site alone, which is replaced",
    )
    add_data(command)


def run(options: argparse.Namespace) -> int:
    """Write the pages, and say where the first one is."""
    # Imported here because every start of the command, a server's included, imports this module.
    from server.web.app import SHELL
    from server.web.site import site_files
    from server.web.site_folder import write_site

    files = site_files(load_catalog(data_folder(options.data)))
    write_site(options.out, files)
    size = sum(map(len, files.values()))
    print(f"{options.out / SHELL}: {len(files)} files, {size / 1000:,.0f} kB")
    return 0
