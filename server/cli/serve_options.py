"""The options of `serve`, in groups."""

import argparse
from typing import Any

from server.cli.options import positive
from server.http.addresses import OWN_PATHS
from server.profiles import FULL, PROFILE_VARIABLE
from server.tools.families import CHOOSABLE, CORE

Group = Any
"""An argument group; argparse has no public name for it."""


def add_tools(command: argparse.ArgumentParser) -> None:
    """Which tools there are, for whom, and how much is said of them."""
    group = command.add_argument_group("tools")
    group.add_argument(
        "--profile",
        metavar="FAMILIES",
        help=f"tools to advertise: {', '.join(CHOOSABLE)}, joined by commas, or {FULL} (default: ${PROFILE_VARIABLE}, "
        f"else {CORE})",
    )
    group.add_argument(
        "--dynamic-tools", action="store_true", help="add tools that describe the others and load them on demand"
    )
    group.add_argument(
        "--wire",
        choices=("trimmed", "full"),
        default="trimmed",
        help="tool schemas without descriptions, or with them (default: %(default)s)",
    )
    group.add_argument(
        "--allowlist",
        type=_given,
        metavar="FILE",
        help="JSON or TOML file: token's or client's name, with *, to permitted families",
    )


def add_http(command: argparse.ArgumentParser) -> None:
    """How the server is reached over HTTP, and what it takes on."""
    group = command.add_argument_group("http: where, and how much")
    group.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    group.add_argument("--port", type=_port, default=8000, help="its port (default: %(default)s)")
    group.add_argument("--path", default="/mcp", type=_path, help="where MCP is served (default: %(default)s)")
    group.add_argument(
        "--workers", metavar="N", type=positive, default=1, help="processes that share the port (default: 1)"
    )
    group.add_argument(
        "--sessions",
        action="store_true",
        help="keep sessions for clients of the handshake era; a proxy in front must then route by session",
    )
    limits = (
        ("--most-body", "BYTES", 1 << 20, "of a request; a larger one gets 413"),
        ("--most-phrase", "CHARS", 10_000, "of a phrase; a longer one is refused"),
        ("--most-at-once", "N", 128, "requests under way in a worker at a time; more get 503"),
        ("--request-time", "S", 30, "seconds for an answer, then 504"),
    )
    for name, unit, default, text in limits:
        group.add_argument(name, metavar=unit, type=positive, default=default, help=f"{text} (default: %(default)s)")
    group.add_argument(
        "--watch",
        metavar="S",
        type=positive,
        help="look every so many seconds whether the data folder has changed, and read it again; SIGHUP does it once",
    )


def add_access(command: argparse.ArgumentParser) -> None:
    """Who is answered over HTTP."""
    group = command.add_argument_group("http: who is answered")
    _add_repeated(
        group,
        "--allowed-host",
        "HOST[:PORT]",
        "a name by which this server may be called beside those of this machine, at any port unless one is given",
    )
    _add_repeated(
        group, "--allowed-origin", "ORIGIN", "a web page's origin, such as https://example.com, that may call"
    )
    group.add_argument(
        "--tokens",
        type=_given,
        metavar="FILE",
        help="answer only bearers of a token of this JSON or TOML file, which maps names to tokens",
    )
    group.add_argument(
        "--oauth-issuer",
        type=_given,
        metavar="URL",
        help="answer only bearers of a JSON Web Token of this authorization server (OAuth 2 resource server)",
    )
    group.add_argument(
        "--oauth-resource",
        type=_given,
        metavar="URL",
        help="this server's public address, for which the tokens must be (aud)",
    )
    _add_repeated(group, "--oauth-scope", "SCOPE", "that a token must have")
    group.add_argument(
        "--oauth-keys",
        type=_given,
        metavar="URL",
        help="the authorization server's keys (JWKS); it is asked where when left out",
    )


def add_observation(command: argparse.ArgumentParser) -> None:
    """What is logged, counted and traced."""
    group = command.add_argument_group("http: what is told of requests")
    group.add_argument(
        "--log-format",
        choices=("text", "json"),
        help="of the lines on stderr; each request has one over http (default: json over http, text over stdio)",
    )
    group.add_argument("--log-phrases", action="store_true", help="log what was asked, too; never without this")
    group.add_argument("--metrics", action="store_true", help="serve Prometheus metrics at /metrics, to anyone")
    group.add_argument(
        "--otel", action="store_true", help="send OpenTelemetry spans over OTLP, as the OTEL_* variables say"
    )


def _add_repeated(group: Group, name: str, unit: str, text: str) -> None:
    group.add_argument(name, type=_given, metavar=unit, action="append", default=[], help=f"{text}; may be given again")


def _path(text: str) -> str:
    if not text.startswith("/") or text in OWN_PATHS or text.startswith("/.well-known"):
        raise argparse.ArgumentTypeError(f"{text!r} is no path of its own that begins with a slash")
    return text


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to 65535")
    return int(text)


def _given(text: str) -> str:
    """Blank is refused: it comes of a variable that is not set, and must not mean that there is no guard."""
    if not text.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is blank; leave the option out, or say what is meant")
    return text
