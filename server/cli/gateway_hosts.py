"""Runs what puts `gateway` into a host: `--print-config`."""

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path

from server.cli import gateway
from server.cli.config import check_started, kept_arguments, show_file
from server.errors import CallerError, brief
from server.gateway.configuration.configurations import default_configurations, read_configurations
from server.gateway.host_snippets import GATEWAY, Host, Server, host_of, own_command, own_files


def print_config(options: argparse.Namespace) -> int:
    """Print the host's file with this gateway; what else to do is told on standard error."""
    host = host_of(options.print_config)
    options.config = list(_files_beside(host, options.config))
    found = read_configurations(options.config, ask=lambda _: None)
    arguments = [*own_command(), "gateway", *kept_arguments(gateway.add, options)]
    if options.transport == "http":
        start = shlex.join([*arguments, "--transport", "http"])
        server = Server(GATEWAY, url=options.url or _own_url(options), token=options.token_env)
        show_file(host.name, server, f"start the gateway with: {start}")
        return 0
    check_started(options)
    show_file(host.name, Server(GATEWAY, tuple(arguments), found.variables))
    return 0


def _files_beside(host: Host, given: Sequence[Path]) -> Sequence[Path]:
    """Return the files to put behind a gateway that takes the place of a host's own servers.

    Raises:
        CallerError: that would be the host's own file, which is left without them.
    """
    own = own_files(host)
    kept = [path for path in given or default_configurations() if not any(_same(path, one) for one in own)]
    if kept and (len(kept) == len(given) or not given):
        return kept
    named = next((path for path in given if path not in kept), own[0])
    raise CallerError(
        f"{brief(str(named))} is the file of {host.title} itself; the gateway takes the place of the servers in it, "
        f"and cannot read them there as well; run 'agent-capabilities gateway adopt {host.name}' to move them, or "
        "name another file with --config"
    )


def _same(path: Path, other: Path) -> bool:
    return path.expanduser().resolve() == other.resolve()


def _own_url(options: argparse.Namespace) -> str:
    every_address = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 -- nothing is bound here
    name = every_address.get(options.host, options.host)
    return f"http://{f'[{name}]' if ':' in name else name}:{options.port}{options.path}"
