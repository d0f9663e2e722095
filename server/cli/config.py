"""The subcommand `config`, and what it shares with `gateway --print-config`."""

import argparse
import os
import sys
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from server.cli.options import Subcommands, add_command
from server.cli.serve import add_served
from server.cli.serve_options import HOST_NAMES, add_address, add_dry_run, add_observation
from server.errors import CallerError, brief
from server.output import print_text

if TYPE_CHECKING:
    from server.gateway.configuration.upstream_config import UpstreamConfig
    from server.gateway.host_files import Change, HostFile
    from server.gateway.host_snippets import Host, Server

_OWN: Final = frozenset(
    {"help", "print_config", "transport", "url", "token_env", "write", "remove", "dry_run", "scope"}
)
"""Options that say how a host gets the server, which the server itself is not given."""

USUAL_URL: Final = "http://127.0.0.1:8000/mcp"
"""Address of `serve --transport http` with its usual options."""


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "config", "print the file that adds this server to a host", run)
    command.add_argument("host", choices=HOST_NAMES, metavar="HOST", help=f"one of {', '.join(HOST_NAMES)}")
    command.add_argument(
        "--transport",
        choices=("stdio", "http"),
        default="stdio",
        help="http: the host reaches a server that runs already; stdio: the host starts it (default: %(default)s)",
    )
    add_address(command, f"default: {USUAL_URL}")
    _add_writing(command)
    add_served(command)
    add_observation(command)


def _add_writing(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("the host's own file")
    action = group.add_mutually_exclusive_group()
    action.add_argument(
        "--write",
        action="store_true",
        help="put the entry into the host's own file, keep the rest of it, and check that the server starts",
    )
    action.add_argument("--remove", action="store_true", help="take the entry out of the host's own file")
    add_dry_run(group)
    group.add_argument(
        "--scope",
        choices=("user", "project"),
        default="user",
        help="whose file: the user's, or that of the project in this folder (default: %(default)s)",
    )


def run(options: argparse.Namespace) -> int:
    """Print the host's file, or change it; what else there is to know is told on standard error."""
    if options.write or options.remove:
        return _change(options)
    if options.dry_run or options.scope != "user":
        name = "--dry-run" if options.dry_run else "--scope"
        raise CallerError(
            f"{name} was given without --write or --remove; it is about a change of the host's own file; add one of "
            "them, or leave it out"
        )
    show_file(options.host, served(options))
    return 0


def _change(options: argparse.Namespace) -> int:
    from server.gateway.host_files import HostFile
    from server.gateway.host_snippets import SERVE, host_entry, host_of

    host = host_of(options.host)
    file = HostFile(host, host.file(options.scope))
    if options.remove:
        show_change(host, file.take_back(SERVE, dry_run=options.dry_run), dry_run=options.dry_run)
        return 0
    server = served(options)
    check_chosen(file, SERVE)
    show_change(host, file.put(SERVE, host_entry(host, server), dry_run=options.dry_run), dry_run=options.dry_run)
    return 0 if options.dry_run else check(file, server, options.scope)


def show_change(host: "Host", change: "Change", *, dry_run: bool) -> None:
    """Print what was changed in a host's file; the difference goes to standard error."""
    print_text(f"{change.path}: {_outcome(change, dry_run=dry_run)}")
    if not change.is_empty:
        print(change.difference(host), file=sys.stderr)


def _outcome(change: "Change", *, dry_run: bool) -> str:
    if change.is_empty:
        return "nothing to change"
    if dry_run:
        return "would be changed"
    return "removed" if change.after is None else f"changed; backup: {change.backup or 'none, as there was no file'}"


def check(file: "HostFile", server: "Server", scope: str) -> int:
    """Start what a host's file has as the host would, and print its tools. Returns the exit status."""
    import anyio

    from server.cli.gateway_run import told_once
    from server.gateway.listing import listed_tools

    config = _as_started(file, server, Path.cwd() if scope == "project" else Path.home())
    with told_once():
        listed = anyio.run(listed_tools, [config])
    for told in listed.missing:
        print(f"error: {told}", file=sys.stderr)
    if listed.missing:
        return 1
    names = [tool.name for tools in listed.tools.values() for tool in tools or ()]
    print_text(f"{server.name} starts as {file.host.title} would start it; tools: {', '.join(names)}")
    return 0


def check_chosen(file: "HostFile", name: str) -> None:
    """Refuse an entry that the host would not start.

    Raises:
        CallerError: the file says elsewhere which servers are started, and this one is not among them.
    """
    from server.gateway.configuration.fields import form_of

    form = form_of(file.path, file.table(), Path.cwd())
    if form and form.leaves_out(name):
        raise CallerError(
            f"{name} of {brief(str(file.path))} would not be started by {file.host.title}; 'mcp.allowed' and "
            "'mcp.excluded' of the file choose its servers; correct them"
        )


def _as_started(file: "HostFile", server: "Server", folder: Path) -> "UpstreamConfig":
    """Return how a host starts a server, with no more of the environment than every host passes on."""
    from server.gateway.configuration.upstream_config import UpstreamConfig

    name = f"{server.name} of {file.host.title}"
    if server.url:
        token = os.environ.get(server.token, "") if server.token else ""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        secrets = frozenset({token} - {""})
        return UpstreamConfig(name, file.path, "http", url=server.url, headers=headers, secrets=secrets)
    program, *arguments = server.command
    env = {variable: os.environ[variable] for variable in server.variables if variable in os.environ}
    secrets = frozenset(env.values())
    return UpstreamConfig(name, file.path, "stdio", program, tuple(arguments), env, folder, secrets=secrets)


def show_file(host: str, server: "Server", *notes: str) -> None:
    """Print a host's file with one server.

    Raises:
        CallerError: the host is not known, or cannot have this server.
    """
    from server.gateway.host_snippets import advice, file_text, host_of

    chosen = host_of(host)
    print(file_text(chosen, server), end="")
    for line in (*advice(chosen, server), *notes):
        print(line, file=sys.stderr)


def served(options: argparse.Namespace) -> "Server":
    """Return the server that the options describe.

    Raises:
        CallerError: two options contradict each other.
    """
    from server.gateway.host_snippets import SERVE, Server, own_command

    arguments = kept_arguments(add, options)
    if options.transport == "http":
        if arguments:
            raise CallerError(
                f"{arguments[0]} was given with --transport http; a server that runs already has its own options; give "
                "it to 'serve', or leave out --transport"
            )
        return Server(SERVE, url=options.url or USUAL_URL, token=options.token_env)
    check_started(options)
    return Server(SERVE, (*own_command(), "serve", *arguments))


def check_started(options: argparse.Namespace) -> None:
    """Refuse options of an address where the host starts the server.

    Raises:
        CallerError: one was given.
    """
    for name, value in (("--url", options.url), ("--token-env", options.token_env)):
        if value is not None:
            raise CallerError(
                f"{name} was given without --transport http; a host that starts the server needs no address; add "
                "--transport http, or leave it out"
            )


Register = Callable[[Subcommands], None]
"""Registers a subcommand."""


def kept_arguments(register: Register, options: argparse.Namespace, own: Collection[str] = _OWN) -> list[str]:
    """Return the arguments that give a subcommand the same options again, from any working folder.

    Args:
        register: registers the subcommand.
        options: its options.
        own: names of options that are left out.
    """
    subcommands = argparse.ArgumentParser().add_subparsers()
    register(subcommands)
    (command,) = subcommands.choices.values()
    actions = (action for action in command._actions if action.option_strings and action.dest not in own)
    return [part for action in actions for part in _parts(action, getattr(options, action.dest))]


def _parts(action: argparse.Action, value: object) -> Iterator[str]:
    name = action.option_strings[-1]
    if value in (None, action.default):
        return
    if action.nargs == 0:
        yield name
        return
    if isinstance(value, dict):
        value = ",".join(f"{key}={number!r}" for key, number in value.items())
    for one in value if isinstance(value, list) else [value]:
        text = _absolute(action, str(one))
        # A value that looks like an option needs the sign between.
        yield from [f"{name}={text}"] if text.startswith("-") else [name, text]


def _absolute(action: argparse.Action, text: str) -> str:
    """Return a value in which a path does not depend on the working folder."""
    if action.metavar in {"FILE", "DIR"}:
        return _path(text)
    if action.metavar != "URI" or "://" in text:
        return text
    kind, _, rest = text.partition(":")
    return f"{kind}:{_path(rest)}" if kind.casefold() == "milvus" and rest else _path(text)


def _path(text: str) -> str:
    # Links stay, as they may be moved on purpose; and ~x may be a name where there is no such user.
    return os.path.abspath(os.path.expanduser(text)) if text else text  # noqa: PTH100, PTH111
