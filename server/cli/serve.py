"""The subcommand `serve`."""

import argparse
import os

from server.cli.options import Subcommands, add_command, add_data
from server.cli.serve_options import add_access, add_http, add_observation, add_tools
from server.cli.serve_start import chosen_start
from server.logs import configure_logging
from server.paths import data_folder
from server.service import open_service
from server.stopping import before_leaving, leave_when_told, stop_cleanly


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "serve", "run the MCP server", run)
    command.add_argument("--transport", choices=("stdio", "http"), default="stdio", help="default: %(default)s")
    add_data(command)
    for add_group in (add_tools, add_http, add_access, add_observation):
        add_group(command)


def run(options: argparse.Namespace) -> int:
    """Serve until the client leaves (stdio) or the process is stopped (http)."""
    # numpy reads it when it is imported. One query's products are too small to share, and threads of numpy's that wait
    # for a core held by the encoder's take 7 ms a match instead of 3.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imported when run: every start of the command reads this module.
    if options.transport == "http":
        stop_cleanly()
        from server.cli.serve_http import serve_http

        configure_logging(options.log_format or "json")
        serve_http(options)
    else:
        leave_when_told()
        configure_logging(options.log_format or "text")
        _serve_stdio(options)
    return 0


def _serve_stdio(options: argparse.Namespace) -> None:
    from server.mcp_server import build_server
    from server.stdio import run_stdio

    if options.otel:
        from server.observation.telemetry import send_spans

        before_leaving(send_spans())
    service = open_service(data_folder(options.data))
    run_stdio(build_server(service, one_client=True, start=chosen_start(options)))
