"""The subcommand `config`."""

import argparse
from pathlib import Path

from server.cli.options import Subcommands, add_command, add_data
from server.gateway.host_snippets import HOSTS, own_command, snippet


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "config", "show how to add this server to a host", run)
    command.add_argument("host", choices=HOSTS, metavar="HOST", help=f"one of {', '.join(HOSTS)}")
    add_data(command)


def run(options: argparse.Namespace) -> int:
    """Print the command or the snippet."""
    print(snippet(options.host, server_command(options.data)))
    return 0


def server_command(data: str | None = None) -> list[str]:
    """Return the command that starts this installation's server."""
    return [*own_command(), "serve", *(["--data", str(Path(data).expanduser().resolve())] if data else [])]
