"""One server's entry made into an upstream."""

from pathlib import Path
from typing import Any

from server.gateway.configuration import secret_values
from server.gateway.configuration.entry_kinds import (
    ADDRESSES,
    SkippedEntryError,
    Transport,
    is_web_address,
    limits_of,
    tools_of,
    transport_of,
)
from server.gateway.configuration.fields import Entry
from server.gateway.configuration.forms import Form
from server.gateway.configuration.own_entry import starts_this_gateway
from server.gateway.configuration.references.resolver import Resolver
from server.gateway.configuration.upstream_config import UpstreamConfig


def upstream_of(entry: Entry, form: Form, resolver: Resolver, folder: Path | None) -> UpstreamConfig:
    """The upstream that an entry describes.

    Args:
        entry: the entry.
        form: what its file's host understands.
        resolver: finds the values of references.
        folder: where the host would run the program; None: wherever the gateway runs.

    Raises:
        SkippedEntryError: it is disabled, starts this gateway, or cannot be reached this way.
        UnresolvedError: a reference has no value.
        CallerError: a field has a wrong type.
    """
    if form.leaves_out(entry.name) or entry.flag("enabled") is False or entry.flag("disabled"):
        raise SkippedEntryError(
            entry, "is disabled", "its tools are not offered", "enable it in the file", expected=True
        )
    transport = transport_of(entry)
    common = limits_of(entry, form) | tools_of(entry)
    if transport == "stdio":
        return _program(entry, resolver, folder, common)
    return _address(entry, resolver, transport, common)


def _program(entry: Entry, resolver: Resolver, folder: Path | None, common: dict[str, Any]) -> UpstreamConfig:
    start = _start(entry, resolver)
    env_file = entry.text("envFile")
    env = resolver.env_file(resolver.expand(env_file)) if env_file else {}
    env |= _forwarded(entry, resolver)
    env |= {name: resolver.expand(value) for name, value in entry.named("env", "environment").items()}
    cwd = entry.text("cwd")
    runs_in = resolver.path(resolver.expand(cwd)) if cwd else folder
    secrets = {*resolver.values, *env.values(), *secret_values.in_arguments(start)}
    return UpstreamConfig(
        entry.name,
        entry.file,
        "stdio",
        start[0],
        tuple(start[1:]),
        env,
        runs_in,
        **common,
        secrets=_secrets(entry, secrets),
    )


def _start(entry: Entry, resolver: Resolver) -> list[str]:
    """The command and its arguments."""
    is_list = isinstance(entry.table.get("command"), list)
    command = (entry.texts("command") or ()) if is_list else (entry.text("command") or "",)
    written = (*command, *(entry.texts("args") or ()))
    # As written first: references of the gateway's own entry need no value here.
    for read in (str, resolver.expand):
        start = [read(text) for text in written]
        if starts_this_gateway(start):
            rule, next_step = "a gateway is not behind itself", "no change is needed"
            raise SkippedEntryError(entry, "starts this gateway", rule, next_step, expected=True)
    return start


def _forwarded(entry: Entry, resolver: Resolver) -> dict[str, str]:
    """Codex's variables to pass on, if they are set."""
    listed = entry.table.get("env_vars", [])
    if not isinstance(listed, list):
        raise entry.wrong("env_vars", "a list of names")
    names = [one.get("name") if isinstance(one, dict) else one for one in listed]
    if not all(isinstance(name, str) for name in names):
        raise entry.wrong("env_vars", "a list of names")
    values = {str(name): resolver.variable(str(name)) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def _address(entry: Entry, resolver: Resolver, transport: Transport, common: dict[str, Any]) -> UpstreamConfig:
    url = resolver.expand(entry.text(*ADDRESSES) or "")
    if not is_web_address(url):
        key = next(key for key in ADDRESSES if entry.table.get(key))
        raise entry.wrong(key, "an address that begins with http:// or https://")
    headers = {name: resolver.expand(value) for name, value in entry.named("headers", "http_headers").items()}
    headers |= {name: resolver.required(value) for name, value in entry.named("env_http_headers").items()}
    bearer = entry.text("bearer_token_env_var")
    if bearer:
        headers["Authorization"] = f"Bearer {resolver.required(bearer)}"
    if any(mark in text for pair in headers.items() for text in pair for mark in "\r\n"):
        raise entry.wrong("headers", "without line breaks")
    secrets = {*resolver.values, *secret_values.in_headers(headers.values()), *secret_values.in_address(url)}
    return UpstreamConfig(
        entry.name, entry.file, transport, url=url, headers=headers, **common, secrets=_secrets(entry, secrets)
    )


def _secrets(entry: Entry, values: set[str]) -> frozenset[str]:
    """The secrets among these. The server's own name is none, as every message about it says it."""
    return secret_values.secrets_of(values) - {entry.name}
