"""The subcommand `config`, and what it shares with `gateway --print-config`."""

import argparse
import os
import sys
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Final

from server.cli.options import Subcommands, add_command
from server.cli.serve import add_served
from server.cli.serve_options import add_observation, not_blank
from server.errors import CallerError

if TYPE_CHECKING:
    from server.gateway.host_snippets import Server

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
"""Names of the hosts. Every start imports this module, so what else is known of them is imported later."""

_OWN: Final = frozenset({"help", "print_config", "transport", "url", "token_env"})
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
    add_served(command)
    add_observation(command)


def add_address(command: argparse.ArgumentParser, default: str) -> None:
    """Add the options that say how a host reaches a server over HTTP."""
    group = command.add_argument_group("a host's entry for a server over http")
    group.add_argument("--url", type=not_blank, help=f"address at which the host reaches the server ({default})")
    group.add_argument(
        "--token-env", metavar="NAME", type=not_blank, help="environment variable of the host with its bearer token"
    )


def run(options: argparse.Namespace) -> int:
    """Print the host's file; where it goes is told on standard error."""
    show_file(options.host, served(options))
    return 0


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


def kept_arguments(
    register: Callable[[Subcommands], None], options: argparse.Namespace, own: Collection[str] = _OWN
) -> list[str]:
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
