"""The subcommand `gateway`."""

import argparse
import os
from pathlib import Path
from typing import Any, Final

from server.cli.options import (
    STORE_URI,
    Subcommands,
    add_command,
    add_known_tools,
    add_model_folder,
    positive,
    store_uri,
    without_collections,
)
from server.cli.serve_options import (
    HOST_NAMES,
    add_access,
    add_address,
    add_dry_run,
    add_http,
    add_observation,
    add_wire,
    not_blank,
)

REQUEST_TIMEOUT: Final = 300
"""Seconds for an answer over HTTP, unless the option says otherwise: servers' tools may take long, or ask the user."""


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(
        subcommands, "gateway", "put the tools of all your MCP servers behind one that finds the right tool", run
    )
    _add_config(command, [])
    command.add_argument("--transport", choices=("stdio", "http"), default="stdio", help="default: %(default)s")
    command.add_argument(
        "--print-config",
        metavar="HOST",
        help=f"print the file that adds this gateway, with these options, to a host, and end: {', '.join(HOST_NAMES)}",
    )
    add_address(command, "default: that of --host, --port and --path")
    add_model_folder(command)
    _add_tools(command)
    for add_group in (add_http, add_access, add_observation):
        add_group(command)
    command.set_defaults(request_timeout=REQUEST_TIMEOUT)
    _add_actions(command)


def _add_actions(command: argparse.ArgumentParser) -> None:
    actions = command.add_subparsers(dest="action", metavar="ACTION", title="actions", required=False)
    login = actions.add_parser("login", help="sign in to a server that wants OAuth, and end")
    login.add_argument("server", metavar="NAME", help="the server's name in the configuration")
    login.add_argument("--callback-port", metavar="PORT", type=int, default=0, help="port that the browser returns to")
    accept = actions.add_parser("accept", help="accept the changed descriptions of a server or a tool, and end")
    accept.add_argument("pattern", metavar="SERVER[__TOOL]", help="a server, or the full name of a tool")
    catalog = actions.add_parser(
        "catalog", help="print the servers' tools as a catalog, for enrich and preflight, and end"
    )
    adopt = actions.add_parser(
        "adopt",
        help="move the servers in a host's own file behind this gateway, with the options before this word, and end",
    )
    adopt.add_argument("adopted", choices=HOST_NAMES, metavar="HOST", help=f"one of {', '.join(HOST_NAMES)}")
    adopt.add_argument("--undo", action="store_true", help="move them back into the host's own file")
    add_dry_run(adopt)
    for action in (login, catalog):
        _add_config(action)


def _add_config(command: argparse.ArgumentParser, default: Any = argparse.SUPPRESS) -> None:
    """Add the option for files. It may also follow an action, where without it that before the action counts."""
    command.add_argument(
        "--config",
        metavar="FILE",
        type=Path,
        action="append",
        default=default,
        help="configuration of MCP servers, of any host: .mcp.json, mcp.json of VS Code or Cursor, settings.json of "
        "Gemini CLI, config.toml of Codex, opencode.json, and the like; repeatable (default: the files in your own "
        "folders that hosts use; never those of the working folder, since a project that you downloaded could start "
        "programs)",
    )


def _add_tools(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("tools")
    group.add_argument(
        "--pin",
        metavar="TOOL",
        action="append",
        default=[],
        help="also list this tool itself, by its full name, such as git__git_status; * stands for any text; repeatable",
    )
    add_wire(group)
    group.add_argument(
        "--allowlist",
        type=not_blank,
        metavar="FILE",
        help="JSON or TOML file that maps names of tokens or clients (* is a wildcard) to servers and tools, such as "
        '["git", "files__read_*"]; without a rule, over stdio everything may be used, over http nothing',
    )
    group.add_argument("--read-only", action="store_true", help="use only tools that declare that they only read")
    group.add_argument(
        "--pin-descriptions", action="store_true", help="hold back tools whose description changed, until accepted"
    )
    group.add_argument(
        "--store",
        metavar="URI",
        type=store_uri,
        help="keep what tools mean in this store, which is filled at the first start, so that replicas with the same "
        f"servers embed nothing twice: {STORE_URI}",
    )
    group.add_argument(
        "--start-timeout",
        metavar="S",
        type=positive,
        default=20,
        help="seconds during which no search is final while a server whose tools are unknown is starting (default: "
        "%(default)s)",
    )
    add_known_tools(group)
    group.add_argument(
        "--no-resources", action="store_true", help="do not offer the servers' prompts, resources and skills"
    )
    group.add_argument(
        "--skills",
        metavar="DIR",
        type=Path,
        action="append",
        default=[],
        help="also offer the Agent Skills below this folder, such as ~/.claude/skills, to every caller; repeatable",
    )
    group.add_argument(
        "--share",
        metavar="NAME",
        action="append",
        default=[],
        help="over http: let all callers share one connection to this server, which must not keep callers' state; "
        "repeatable",
    )


def run(options: argparse.Namespace) -> int:
    """Serve until the client disconnects (stdio) or the process is stopped (http); or do what an action says."""
    # As in `serve`: one query's products are too small to split between threads.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imported here because every start of the command imports this module.
    if options.print_config:
        from server.cli.gateway_hosts import print_config

        return print_config(options, add)
    if options.action == "adopt":
        from server.cli.gateway_hosts import adopt, undo

        return undo(options) if options.undo else adopt(options, add)
    with without_collections():
        from server.cli import gateway_run

    if options.action == "login":
        return gateway_run.login(options)
    if options.action == "accept":
        return gateway_run.accept(options)
    if options.action == "catalog":
        return gateway_run.catalog(options)
    return gateway_run.serve(options)
