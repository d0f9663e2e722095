"""The subcommand `serve`."""

import argparse
import logging
import os
import sys

from server.cli.options import Subcommands, add_command, add_data
from server.paths import data_folder
from server.service import open_service


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "serve", "run the MCP server", run)
    command.add_argument(
        "--transport", choices=("stdio", "http"), default="stdio", help="default: %(default)s; http serves /mcp"
    )
    command.add_argument("--host", default="127.0.0.1", help="address for http (default: %(default)s)")
    command.add_argument("--port", type=int, default=8000, help="port for http (default: %(default)s)")
    add_data(command)


def run(options: argparse.Namespace) -> int:
    """Serve until the client leaves (stdio) or the process is stopped (http)."""
    # numpy reads it when it is imported. One query's products are too small to share, and threads of numpy's that wait
    # for a core held by the encoder's take 7 ms a match instead of 3.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    for noisy in ("mcp", "httpx2"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    service = open_service(data_folder(options.data))
    from server.mcp_server import build_server

    server = build_server(service, one_client=options.transport == "stdio")
    if options.transport == "http":
        from server.http import run_http

        run_http(server, options.host, options.port)
    else:
        from server.stdio import run_stdio

        run_stdio(server)
    return 0
