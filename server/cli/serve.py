"""The subcommand `serve`."""

import argparse
import logging
import os
import sys
from pathlib import Path

from server.allowlist import Allowlist
from server.cli.options import Subcommands, add_command, add_data, positive
from server.matcher_provider import load_encoder_for_many
from server.paths import data_folder
from server.profiles import FULL, PROFILE_VARIABLE, chosen_profile
from server.service import Service, open_service
from server.start import Start
from server.tools.families import CHOOSABLE, CORE


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "serve", "run the MCP server", run)
    command.add_argument("--transport", choices=("stdio", "http"), default="stdio", help="default: %(default)s")
    command.add_argument("--host", default="127.0.0.1", help="address for http (default: %(default)s)")
    command.add_argument("--port", type=int, default=8000, help="port for http (default: %(default)s)")
    command.add_argument("--path", default="/mcp", type=_path, help="where http serves MCP (default: %(default)s)")
    command.add_argument(
        "--allowed-host",
        metavar="HOST:PORT",
        action="append",
        default=[],
        help="http: a name, with its port or :*, by which this server may be called beside those of this machine",
    )
    command.add_argument(
        "--allowed-origin",
        metavar="ORIGIN",
        action="append",
        default=[],
        help="http: a web page's origin, such as https://example.com, that may call",
    )
    command.add_argument(
        "--most-body", metavar="BYTES", type=positive, default=1 << 20, help="http: of a request (default: %(default)s)"
    )
    command.add_argument(
        "--most-at-once",
        metavar="N",
        type=positive,
        default=128,
        help="http: requests under way at a time; more get 503 (default: %(default)s)",
    )
    command.add_argument(
        "--request-time", metavar="S", type=positive, default=30, help="http: seconds for an answer (default: 30)"
    )
    command.add_argument(
        "--sessions",
        action="store_true",
        help="http: keep sessions for clients of the handshake era; a proxy in front must then route by session",
    )
    command.add_argument(
        "--tokens",
        metavar="FILE",
        help="http: answer only bearers of a token of this JSON or TOML file, which maps names to tokens",
    )
    command.add_argument(
        "--profile",
        metavar="FAMILIES",
        help=f"tools to advertise: {', '.join(CHOOSABLE)}, joined by commas, or {FULL} (default: ${PROFILE_VARIABLE}, "
        f"else {CORE})",
    )
    command.add_argument(
        "--dynamic-tools", action="store_true", help="add tools that describe the others and load them on demand"
    )
    command.add_argument(
        "--wire",
        choices=("trimmed", "full"),
        default="trimmed",
        help="tool schemas without descriptions, or with them (default: %(default)s)",
    )
    command.add_argument(
        "--allowlist", metavar="FILE", help="JSON or TOML file: token's or client's name, with *, to permitted families"
    )
    add_data(command)


def run(options: argparse.Namespace) -> int:
    """Serve until the client leaves (stdio) or the process is stopped (http)."""
    # numpy reads it when it is imported. One query's products are too small to share, and threads of numpy's that wait
    # for a core held by the encoder's take 7 ms a match instead of 3.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    for noisy in ("mcp", "httpx2"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    start = Start(
        profile=chosen_profile(options.profile),
        dynamic=options.dynamic_tools,
        full_wire=options.wire == "full",
        allowlist=Allowlist.read(Path(options.allowlist)) if options.allowlist else None,
    )
    folder = data_folder(options.data)
    if options.transport == "http":
        _serve_http(open_service(folder, load_encoder_for_many), start, options)
    else:
        _serve_stdio(open_service(folder), start)
    return 0


def _serve_http(service: Service, start: Start, options: argparse.Namespace) -> None:
    # Imported when run: every start of the command reads this module.
    from server.http import HttpOptions, run_http
    from server.mcp_server import build_server
    from server.tokens import TokenFile

    tokens = TokenFile(Path(options.tokens)) if options.tokens else None
    server = build_server(service, start=start, sessions=options.sessions)
    service.matchers.start()
    chosen = HttpOptions(
        host=options.host,
        port=options.port,
        path=options.path,
        sessions=options.sessions,
        tokens=tokens,
        allowed_hosts=tuple(options.allowed_host),
        allowed_origins=tuple(options.allowed_origin),
        most_body=options.most_body,
        most_at_once=options.most_at_once,
        seconds=options.request_time,
    )
    run_http(server, service, chosen)


def _serve_stdio(service: Service, start: Start) -> None:
    from server.mcp_server import build_server
    from server.stdio import run_stdio

    run_stdio(build_server(service, one_client=True, start=start))


def _path(text: str) -> str:
    if not text.startswith("/") or text in ("/healthz", "/readyz"):
        raise argparse.ArgumentTypeError(f"{text!r} is no path of its own that begins with a slash")
    return text
