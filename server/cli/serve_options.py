"""The options that `serve` shares with other commands, in groups."""

import argparse
from pathlib import Path
from typing import Any, Final

from server.catalog.folders import data_folder
from server.cli.options import chosen_costs, positive
from server.errors import CallerError
from server.http.addresses import OWN_PATHS
from server.matching.origins import AgentsFolder, CatalogFile, StoredCatalog
from server.tools.families import CHOOSABLE, CORE, FULL
from server.toolset.permissions import Allowlist
from server.toolset.start import PROFILE_VARIABLE, Start, chosen_profile

HOST_NAMES: Final = (
    "claude-code",
    "claude-desktop",
    "codex-cli",
    "copilot-cli",
    "cursor",
    "gemini-cli",
    "opencode",
    "vscode-copilot",
)
"""Names of the hosts; what else is known of them is imported when it is needed."""


def add_surface(group: Any) -> None:
    """Add the options to a command, or to a group of its options."""
    group.add_argument(
        "--profile",
        metavar="FAMILIES",
        help=f"tool families to advertise, joined by commas: {', '.join(CHOOSABLE)}, or {FULL} "
        f"(default: ${PROFILE_VARIABLE}, else {CORE})",
    )
    group.add_argument(
        "--dynamic-tools", action="store_true", help="add tools that describe the others and load them on demand"
    )
    add_wire(group)


def add_wire(group: Any) -> None:
    """Add the option for the detail of schemas."""
    group.add_argument(
        "--wire",
        choices=("trimmed", "full"),
        default="trimmed",
        help="full: tool schemas with descriptions; trimmed: without them (default: %(default)s)",
    )


def start_of(options: argparse.Namespace, allowlist: Allowlist | None = None) -> Start:
    """Return the start that the options choose.

    Raises:
        CallerError: the profile names a family that does not exist.
    """
    return Start(
        profile=chosen_profile(options.profile),
        dynamic=options.dynamic_tools,
        full_wire=options.wire == "full",
        allowlist=allowlist,
    )


Group = Any
"""An argument group; argparse has no public name for it."""


def add_tools(command: argparse.ArgumentParser) -> None:
    """Options that say which tools are advertised, to whom, and in how much detail."""
    group = command.add_argument_group("tools")
    add_surface(group)
    group.add_argument(
        "--allowlist",
        type=not_blank,
        metavar="FILE",
        help="JSON or TOML file that maps names of tokens or clients (* is a wildcard) to permitted families",
    )


def add_http(command: argparse.ArgumentParser) -> None:
    """Options for the HTTP endpoint and its limits."""
    group = command.add_argument_group("http: endpoint and limits")
    group.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    group.add_argument("--port", type=port_number, default=8000, help="port to listen on (default: %(default)s)")
    group.add_argument("--path", default="/mcp", type=_path, help="path of the MCP endpoint (default: %(default)s)")
    group.add_argument("--workers", metavar="N", type=positive, default=1, help="processes on the port (default: 1)")
    group.add_argument(
        "--sessions",
        action="store_true",
        help="keep sessions for clients of the legacy protocol; a proxy in front must then route by session",
    )
    limits = (
        ("--max-body", "BYTES", 1 << 20, "maximum size of a request; a larger one gets 413"),
        ("--max-phrase", "CHARS", 10_000, "maximum length of a phrase; a longer one is refused"),
        ("--max-concurrency", "N", 128, "maximum concurrent requests per worker; more get 503"),
        ("--request-timeout", "S", 30, "maximum seconds for an answer; a slower one gets 504"),
    )
    for name, unit, default, text in limits:
        group.add_argument(name, metavar=unit, type=positive, default=default, help=f"{text} (default: %(default)s)")
    group.add_argument(
        "--watch",
        metavar="S",
        type=positive,
        help="check the catalog's files every S seconds, and reload if one changed (default: off; SIGHUP reloads, too)",
    )


def add_access(command: argparse.ArgumentParser) -> None:
    """Options that say who may call over HTTP."""
    group = command.add_argument_group("http: access")
    _add_repeated(
        group,
        "--allowed-host",
        "HOST[:PORT]",
        "additional host name to accept in the Host header, besides this machine's; any port unless one is given",
    )
    _add_repeated(
        group, "--allowed-origin", "ORIGIN", "additional origin to accept from web pages, such as https://example.com"
    )
    group.add_argument(
        "--tokens",
        type=not_blank,
        metavar="FILE",
        help="require a bearer token from this JSON or TOML file, which maps names to tokens",
    )
    group.add_argument(
        "--oauth-issuer",
        type=not_blank,
        metavar="URL",
        help="require a JSON Web Token from this authorization server (OAuth 2 resource server)",
    )
    group.add_argument(
        "--oauth-resource",
        type=not_blank,
        metavar="URL",
        help="this server's public URL, which tokens must name as their audience (aud)",
    )
    _add_repeated(group, "--oauth-scope", "SCOPE", "scope that a token must have")
    group.add_argument(
        "--oauth-keys",
        type=not_blank,
        metavar="URL",
        help="JWKS URL (default: discovered from the issuer's metadata)",
    )


def add_observation(command: argparse.ArgumentParser) -> None:
    """Options for logs, metrics and traces."""
    group = command.add_argument_group("logs, metrics and traces")
    group.add_argument(
        "--log-format",
        choices=("text", "json"),
        help="format of the log on stderr (default: json over http, with a line per request; text over stdio)",
    )
    group.add_argument(
        "--log-phrases", action="store_true", help="also log arguments, which contain users' phrases (default: off)"
    )
    group.add_argument("--metrics", action="store_true", help="serve Prometheus metrics at /metrics, open to anyone")
    group.add_argument(
        "--otel", action="store_true", help="send OpenTelemetry spans over OTLP; the OTEL_* variables configure it"
    )


def _add_repeated(group: Group, name: str, unit: str, text: str) -> None:
    group.add_argument(name, type=not_blank, metavar=unit, action="append", default=[], help=f"{text}; repeatable")


def _path(text: str) -> str:
    if not text.startswith("/") or text in OWN_PATHS or text.startswith("/.well-known"):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a usable path; it must begin with a slash, and must not be "
            f"{', '.join(OWN_PATHS)} or below /.well-known; choose another"
        )
    return text


def port_number(text: str) -> int:
    """Parse an option's value as a port.

    Raises:
        argparse.ArgumentTypeError: the value is something else.
    """
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to 65535")
    return int(text)


def not_blank(text: str) -> str:
    """Refuse a blank value. It usually comes from an unset variable, and must not turn a protection off."""
    if not text.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is blank; a value is required; give one or leave the option out")
    return text


def add_dry_run(command: "argparse._ActionsContainer") -> None:
    """Add the option that only shows a change."""
    command.add_argument("--dry-run", action="store_true", help="only show what would be changed")


def add_address(command: argparse.ArgumentParser, default: str) -> None:
    """Add the options that say how a host reaches a server over HTTP."""
    group = command.add_argument_group("a host's entry for a server over http")
    group.add_argument("--url", type=not_blank, help=f"address at which the host reaches the server ({default})")
    group.add_argument(
        "--token-env", metavar="NAME", type=not_blank, help="environment variable of the host with its bearer token"
    )


def add_page(command: argparse.ArgumentParser) -> None:
    """The option for the page that people look at."""
    group = command.add_argument_group("http: page")
    group.add_argument(
        "--web",
        action="store_true",
        help="also serve a page to look at the catalog with, at /, for the callers of MCP and with what they may use",
    )


def check_page(options: argparse.Namespace) -> None:
    """Refuse the page where it cannot be served.

    Raises:
        CallerError: the transport has no pages, or MCP's path is one of the page's.
    """
    if not options.web:
        return
    if options.transport != "http":
        raise CallerError(
            f"--web was given with --transport {options.transport}; a page is served over HTTP; add --transport http, "
            "or look at the catalog with 'agent-capabilities inspect'"
        )
    from server.web.refusals import collides

    if collides(options.path):
        raise CallerError(
            f"--path {options.path} was given with --web; the page is at / and below /page and /api; give MCP another "
            "path, such as /mcp"
        )


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
        return CatalogFile(Path(options.catalog), costs, not options.no_known_tools)
    return AgentsFolder(data_folder(options.data), costs)
