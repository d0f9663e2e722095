"""Runs `gateway`: serving, its actions, and listing the tools of configurations for other commands."""

import argparse
import json
import logging
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import anyio

from embeddings.text.invisible import escaped
from server.cli.options import model_folder, without_collections
from server.errors import CallerError, unknown
from server.gateway.configuration.configurations import default_configurations, read_configurations
from server.gateway.configuration.upstream_config import Configuration, UpstreamConfig
from server.gateway.gateway import Gateway, GatewayOptions, serve_over_stdio
from server.gateway.listing import Listed, listed_tools
from server.gateway.tool_catalog.examples import examples_path, known_examples
from server.gateway.tool_catalog.pins import Pins
from server.gateway.upstreams.states import DEFAULT_LIMITS
from server.matching.encoders import load_encoder, load_encoder_for_many
from server.output import print_text
from server.telemetry.logs import configure_logging, log_warnings
from server.toolset.permissions import Allowlist
from server.toolset.start import Start

logger = logging.getLogger(__name__)

_UPSTREAMS: Final = logging.getLogger("server.gateway.upstreams")


def serve(options: argparse.Namespace) -> int:
    """Serve over the chosen transport."""
    over_http = options.transport == "http"
    configure_logging(options.log_format or ("json" if over_http else "text"))
    if over_http:
        from server.cli.gateway_http import serve_http

        serve_http(options, partial(gateway, options, several_callers=True))
        return 0
    if options.otel:
        from server.stopping import before_leaving
        from server.telemetry.spans import send_spans

        before_leaving(send_spans())
    with without_collections():
        made = gateway(options, several_callers=False)
    serve_over_stdio(made)
    return 0


def gateway(options: argparse.Namespace, *, several_callers: bool) -> Gateway:
    """Return the gateway that the options choose; its upstreams are not connected yet.

    Raises:
        CallerError: a file cannot be used, or a name is not known.
    """
    files = chosen_files(options)
    found = configuration(files)
    names = [config.name for config in found.upstreams]
    for name in options.share:
        if name not in names:
            raise unknown("server", name, names, "Give --share the name of a server of the configuration.")
    if options.skills and options.no_resources:
        raise CallerError(
            "--skills was given with --no-resources; the files of a skill are read as resources; leave one of them out"
        )
    load = load_encoder_for_many if several_callers else load_encoder
    return Gateway(
        found.upstreams,
        GatewayOptions(
            start=Start(
                full_wire=options.wire == "full",
                allowlist=_allowlist(options, several_callers=several_callers),
                read_only=options.read_only,
                pinned=frozenset(options.pin),
            ),
            several_callers=several_callers,
            shared=frozenset(options.share),
            resources=not options.no_resources,
            skills=tuple(folder.expanduser() for folder in options.skills),
            pin_descriptions=options.pin_descriptions,
            examples=tuple(examples_path(path) for path in files),
            known_tools=not options.no_known_tools,
            sessions=not several_callers or options.sessions,
            store=options.store,
            limits=replace(DEFAULT_LIMITS, starting=options.start_timeout),
        ),
        loader=partial(load, folder=model_folder(options)),
    )


def _allowlist(options: argparse.Namespace, *, several_callers: bool) -> Allowlist | None:
    if options.allowlist:
        return Allowlist.read(Path(options.allowlist), patterns=True)
    return Allowlist({}) if several_callers else None


def chosen_files(options: argparse.Namespace) -> tuple[Path, ...]:
    """Return the configuration files of the options, else the user's own.

    Raises:
        CallerError: there is none.
    """
    return tuple(options.config) or default_configurations()


def configuration(files: Sequence[Path]) -> Configuration:
    """Read the configuration from the files, and report what was passed over.

    Raises:
        CallerError: a file cannot be used, or there is no server.
    """
    found = read_configurations(files)
    for report in found.reports:
        logger.warning("%s", report)
    for note in found.notes:
        logger.info("%s", note)
    if not found.upstreams:
        raise CallerError(
            f"no server is left in {', '.join(map(str, files))}; a gateway needs at least one; add one, or name "
            "another file with --config"
        )
    return found


def login(options: argparse.Namespace) -> int:
    """Sign in to a server."""
    import webbrowser

    from server.gateway.upstreams.sign_in import login as sign_in

    config = _server(configuration(chosen_files(options)), options.server)

    def show(url: str) -> None:
        print(f"sign in at {url}", file=sys.stderr)
        webbrowser.open(url)

    if anyio.run(sign_in, config, show, options.callback_port):
        print(f"signed in to {config.name}")
    else:
        print(f"{config.name} can be used without signing in")
    return 0


def _server(found: Configuration, name: str) -> UpstreamConfig:
    for config in found.upstreams:
        if config.name == name:
            return config
    raise unknown("server", name, [config.name for config in found.upstreams], "Give the name of one of these.")


def accept(options: argparse.Namespace) -> int:
    """Accept changed descriptions."""
    changes = Pins().accept(options.pattern)
    for change in changes:
        print_text(str(change))
    print(f"{len(changes)} accepted" if changes else f"nothing of {options.pattern} has changed")
    return 0


def catalog(options: argparse.Namespace) -> int:
    """Print the tools of all servers as the lists that `enrich` and `preflight` read; stderr says which are known."""
    listed = listed_servers(chosen_files(options))
    known = known_examples(listed.gateway_tools)
    of_server = Counter(tool.server for tool in listed.gateway_tools)
    of_known = Counter(tool.server for tool in listed.gateway_tools if tool.name in known)
    for server, count in of_server.items():
        told = f"{server}: {of_known[server]} of {count} tools are known and have examples"
        print(escaped(told), file=sys.stderr)
    print(json.dumps(listed.to_json(), ensure_ascii=False, indent=2))
    return 1 if listed.missing else 0


def listed_servers(files: Sequence[Path]) -> Listed:
    """Start the servers once and list their tools; stderr tells which did not answer.

    Raises:
        CallerError: a file cannot be used, or no server has a tool.
    """
    log_warnings()
    found = configuration(files)
    with told_once():
        listed = anyio.run(listed_tools, found.upstreams)
    for told in listed.missing:
        print(told, file=sys.stderr)
    if not any(listed.tools.values()):
        raise CallerError(
            f"no server of {', '.join(map(str, files))} has answered with a tool; at least one tool is needed; correct "
            "the configuration, or name another file with --config"
        )
    return listed


@contextmanager
def told_once() -> Iterator[None]:
    """Keep upstreams from also logging their states, which are told when all are known."""
    before = _UPSTREAMS.level
    _UPSTREAMS.setLevel(logging.ERROR)
    try:
        yield
    finally:
        _UPSTREAMS.setLevel(before)
