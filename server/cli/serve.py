"""The subcommand `serve`."""

import argparse
import os

from server.cli.options import (
    STORE_URI,
    Subcommands,
    add_command,
    add_costs,
    add_data,
    add_known_tools,
    add_model_folder,
    chosen_loader,
    store_uri,
    without_collections,
)
from server.cli.serve_options import (
    add_access,
    add_http,
    add_observation,
    add_page,
    add_tools,
    check_page,
    chosen_origin,
    chosen_start,
    not_blank,
)
from server.stopping import before_leaving, exit_on_sigterm, leave_on_signals
from server.telemetry.logs import configure_logging


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "serve", "run the MCP server", run)
    command.add_argument("--transport", choices=("stdio", "http"), default="stdio", help="default: %(default)s")
    add_served(command)
    for add_group in (add_http, add_page, add_access, add_observation):
        add_group(command)


def add_served(command: argparse.ArgumentParser) -> None:
    """Add the options that say what is served, over any transport."""
    served = command.add_mutually_exclusive_group()
    served.add_argument(
        "--catalog",
        type=not_blank,
        metavar="FILE",
        help="match phrases against this catalog file, or this tools/list of MCP servers, instead of serving the "
        "agents' catalog; with the vector file of build-vectors beside it, else embedded once, then cached",
    )
    served.add_argument(
        "--store",
        type=store_uri,
        metavar="URI",
        help=f"match phrases against the catalog that build-vectors wrote to this store: {STORE_URI}",
    )
    add_data(served)
    add_known_tools(command)
    add_model_folder(command)
    add_costs(command)
    add_tools(command)


def run(options: argparse.Namespace) -> int:
    """Serve until the client disconnects (stdio) or the process is stopped (http)."""
    check_page(options)
    # Set before numpy is imported, which is when numpy reads it. One query's products are too small to split between
    # threads: with several, numpy's threads wait for cores that the encoder's hold, and a match takes 7 ms, not 3.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imported here because every start of the command imports this module.
    if options.transport == "http":
        exit_on_sigterm()
        from server.cli.serve_http import serve_http

        configure_logging(options.log_format or "json")
        serve_http(options)
    else:
        leave_on_signals()
        configure_logging(options.log_format or "text")
        _serve_stdio(options)
    return 0


def _serve_stdio(options: argparse.Namespace) -> None:
    with without_collections():
        from server.protocol.server import build_server
        from server.protocol.stdio import run_stdio
        from server.toolset.toolset import warn_of_unserved

        if options.otel:
            from server.telemetry.spans import send_spans

            before_leaving(send_spans())
        service = chosen_origin(options).open(chosen_loader(options))
        server = build_server(service, one_client=True, start=chosen_start(options))
        warn_of_unserved(server.toolset)
    run_stdio(server)
