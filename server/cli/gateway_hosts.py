"""Puts `gateway` into a host: `--print-config`, and `adopt`, which moves the host's servers behind it and back."""

import argparse
import json
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from embeddings.files import PRIVATE, make_private_folder, write_atomically
from server.cli import gateway
from server.cli.config import check, check_chosen, check_started, kept_arguments, show_change, show_file
from server.cli.gateway_run import told_once
from server.errors import CallerError, brief
from server.files import read_table
from server.gateway.configuration.configurations import ORIGIN, default_configurations, read_configurations
from server.gateway.configuration.entry import starts_this_gateway
from server.gateway.host_files import FOLDER, HostFile
from server.gateway.host_snippets import GATEWAY, Host, Server, host_entry, host_of, own_command, own_files
from server.gateway.listing import listed_tools
from server.gateway.tool_catalog.cached_lists import CachedLists
from server.gateway.tool_catalog.json_file import data_folder
from server.gateway.tool_catalog.names import told_apart


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


def adopt(options: argparse.Namespace) -> int:
    """Move a host's servers into a file of the gateway's own, and put the gateway in their place.

    Raises:
        CallerError: the host has no servers, or a file cannot be used; then all is as it was.
    """
    host = host_of(options.adopted)
    file = HostFile(host, host.file())
    own = adopted_file(host)
    before = _adopted(host, own)
    moved = {name: entry for name, entry in file.servers().items() if not _is_gateway(entry)}
    _check_adoptable(options, file, before | moved)
    variables = read_configurations([file.path, *([own] if own.is_file() else [])], ask=lambda _: None).variables
    options.config = [own, *options.config]
    server = Server(GATEWAY, (*own_command(), "gateway", *kept_arguments(gateway.add, options)), variables)
    edit = partial(_moved, host, moved, host_entry(host, server))
    back = partial(_back, host, before | moved)
    # First only tried: the servers are written down elsewhere before they are taken out.
    change = file.edit(GATEWAY, edit, back, dry_run=True)
    if not options.dry_run:
        _write_adopted(file, own, before | moved)
        change = file.edit(GATEWAY, edit, back)
    show_change(host, change, dry_run=options.dry_run)
    if options.dry_run:
        return 0
    _warm([own])
    return check(file, server, "user")


def undo(options: argparse.Namespace) -> int:
    """Move the servers of a host back into its own file.

    Raises:
        CallerError: none were moved, or a file cannot be used.
    """
    host = host_of(options.adopted)
    own = adopted_file(host)
    if not own.is_file():
        raise CallerError(
            f"no servers of {host.title} are behind the gateway; only those that 'gateway adopt {host.name}' moved can "
            "be moved back; no change is needed"
        )
    file = HostFile(host, Path(_read(own).get(ORIGIN) or host.file()))
    back = partial(_back, host, _adopted(host, own))
    show_change(host, file.take_back(GATEWAY, back, dry_run=options.dry_run), dry_run=options.dry_run)
    if not options.dry_run:
        own.unlink()
    return 0


def adopted_file(host: Host) -> Path:
    """Return the file of the gateway's own that holds the servers of a host."""
    return data_folder() / FOLDER / f"{host.name}.json"


def _check_adoptable(options: argparse.Namespace, file: HostFile, servers: Mapping[str, Any]) -> None:
    if options.transport == "http":
        raise CallerError(
            "--transport http was given with adopt; a host starts its gateway itself, over stdio; leave it out"
        )
    check_started(options)
    if not servers:
        raise CallerError(
            f"{brief(str(file.path))} has no servers; the gateway takes the place of some; add them first, or name "
            f"another file: gateway --config FILE --print-config {file.host.name}"
        )
    check_chosen(file, GATEWAY)


def _read(own: Path) -> dict[str, Any]:
    return read_table(own, "configuration", "'mcpServers' or the like to servers")


def _adopted(host: Host, own: Path) -> dict[str, Any]:
    found: dict[str, Any] = _read(own).get(host.table, {}) if own.is_file() else {}
    return found


def _is_gateway(entry: object) -> bool:
    if not isinstance(entry, dict):
        return False
    command, arguments = entry.get("command"), entry.get("args")
    words = [
        *(command if isinstance(command, list) else [command]),
        *(arguments if isinstance(arguments, list) else []),
    ]
    return starts_this_gateway([word for word in words if isinstance(word, str)])


def _write_adopted(file: HostFile, own: Path, entries: dict[str, Any]) -> None:
    """Write the file of the gateway's own, with what else the host's file says of its servers."""
    table = file.table()
    # The inputs of VS Code that entries refer to; in Gemini CLI's file, "mcp" says which servers are started.
    beside: dict[str, Any] = {key: table[key] for key in ("inputs", "mcp") if key in table and key != file.host.table}
    content = {ORIGIN: str(file.path), **beside, file.host.table: entries}
    make_private_folder(own.parent)
    write_atomically(own, json.dumps(content, ensure_ascii=False, indent=2, default=str).encode(), PRIVATE)


def _moved(host: Host, moved: Iterable[str], entry: dict[str, Any], text: str) -> str:
    for name in moved:
        text = host.format.take(text, host.table, name)
    return host.format.put(text, host.table, GATEWAY, entry)


def _back(host: Host, adopted: Mapping[str, Any], text: str) -> str:
    if _is_gateway(host.format.servers(text, host.table).get(GATEWAY)):
        text = host.format.take(text, host.table, GATEWAY)
    for name, entry in adopted.items():
        text = host.format.put(text, host.table, name, entry)
    return text


def _warm(files: Sequence[Path]) -> None:
    """List the tools of the servers once, so that the gateway knows them when it starts."""
    found = read_configurations(files)
    for report in found.reports:
        print(report, file=sys.stderr)
    lists = CachedLists()
    with told_once():
        listed = anyio.run(listed_tools, found.upstreams)
    for told in listed.missing:
        print(told, file=sys.stderr)
    for name, config in told_apart(found.upstreams).items():
        tools = listed.tools.get(name)
        if tools is not None:
            lists.keep(config, tools)
