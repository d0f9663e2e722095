"""The subcommand `inspect`."""

import argparse
import os

from server.cli.options import (
    CATALOG_FILE,
    STORE_URI,
    Subcommands,
    add_command,
    add_costs,
    add_data,
    add_known_tools,
    add_model_folder,
    add_server_configs,
    store_uri,
)
from server.cli.serve_options import not_blank, port_number


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(
        subcommands, "inspect", "open a page to look at a catalog: try phrases, compare agents, see its health", run
    )
    shown = command.add_mutually_exclusive_group()
    shown.add_argument("--catalog", type=not_blank, metavar="FILE", help=f"show {CATALOG_FILE}")
    shown.add_argument("--store", type=store_uri, metavar="URI", help=f"show the catalog in this store: {STORE_URI}")
    add_server_configs(shown, "show the tools of all MCP servers of this configuration, which are listed once")
    add_data(shown)
    command.add_argument("--port", type=port_number, default=0, help="port on this machine (default: any free one)")
    command.add_argument("--no-open", action="store_true", help="print the page's address, but open no browser")
    add_known_tools(command)
    add_model_folder(command)
    add_costs(command)


def run(options: argparse.Namespace) -> int:
    """Serve the page on this machine until a signal ends the process."""
    # Set before numpy is imported, as `serve` does.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imported here because every start of the command imports this module.
    from server.cli.inspect_run import chosen, run_page
    from server.stopping import ignore_hang_up, leave_on_signals
    from server.telemetry.logs import configure_logging

    shown = chosen(options)
    configure_logging("text")
    ignore_hang_up()
    leave_on_signals()
    run_page(shown, port=options.port, opens=not options.no_open)
    return 0
