"""One server's entry made into an upstream."""

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from server.gateway.configuration import upstream_config
from server.gateway.configuration.fields import LONGEST, Entry, Form
from server.gateway.configuration.references import Resolver
from server.gateway.configuration.upstream_config import UpstreamConfig

_NAMES: Final = frozenset({"agent-capabilities", "agent_capabilities"})


def starts_this_gateway(start: Sequence[str]) -> bool:
    """Tell whether a command runs `agent-capabilities gateway`, also by `uvx`, `python -m`, a shell and the like."""
    return any(_program_name(one) in _NAMES and following == "gateway" for one, following in pairwise(_words(start)))


def _words(start: Sequence[str]) -> Iterator[str]:
    for word in start:
        if " gateway" not in word:
            yield word
            continue
        try:
            yield from shlex.split(word)
        except ValueError:
            yield from word.split()


def _program_name(word: str) -> str:
    """Return the name of a program without its folder, its ending and its version."""
    name = re.split(r"[/\\]", word)[-1]
    return re.sub(r"(?:\.(?:exe|cmd|bat|py)|[@:=~<>\[].*)$", "", name, flags=re.IGNORECASE).casefold()


Transport = Literal["stdio", "http", "sse"]

_TRANSPORTS: Final[dict[str, Transport]] = {
    "stdio": "stdio",
    "local": "stdio",
    "http": "http",
    "streamable": "http",
    "streamablehttp": "http",
    "remote": "http",
    "sse": "sse",
}
ADDRESSES: Final = ("httpUrl", "url", "serverUrl")
"""Keys of an address, the first that is there counts."""


class SkippedEntryError(Exception):
    """The entry is left out.

    Attributes:
        reason: why, in three parts.
        expected: it is left out on purpose.
    """

    def __init__(self, entry: Entry, value: str, rule: str, next_step: str, *, expected: bool = False):
        super().__init__(f"{entry.where} {value}; {rule}; {next_step}")
        self.reason = str(self)
        self.expected = expected


def transport_of(entry: Entry) -> Transport:
    """Return how to reach the server.

    Raises:
        SkippedEntryError: the file does not say it, or in a way that the gateway cannot.
        CallerError: a field has a wrong type.
    """
    address = entry.text(*ADDRESSES)
    has_command = entry.table.get("command") not in (None, "", [], [""])
    written = entry.text("type", "transport")
    if written is None:
        default = "sse" if address and address.partition("?")[0].rstrip("/").endswith("/sse") else "http"
        named = "stdio" if has_command else default
    else:
        named = written
    transport = _TRANSPORTS.get(named.casefold().replace("-", "").replace("_", ""))
    if transport is None:
        known = "transports are stdio, http (streamable) and sse"
        raise SkippedEntryError(entry, f"has the transport {named[:40]!r}", known, "give it one of these")
    if not (has_command if transport == "stdio" else address):
        needed = "stdio needs 'command'; http and sse need 'url'"
        raise SkippedEntryError(entry, "names neither program nor address", needed, "add it to the file")
    return transport


def limits_of(entry: Entry, form: Form) -> dict[str, Any]:
    """Return the time limits that are set, as attributes of an upstream."""
    given = entry.seconds("timeout") if form.limits_calls else None
    # Hosts count in milliseconds; nobody means less than a second, so a smaller number is one of seconds.
    timeout = entry.seconds("tool_timeout_sec") or (given / 1000 if given and given >= 1000 else given)
    startup = entry.seconds("startup_timeout_sec") or (entry.seconds("startup_timeout_ms") or 0) / 1000
    limits = {"timeout": timeout, "startup_timeout": startup or None}
    return {key: min(value, LONGEST) for key, value in limits.items() if value is not None}


def tools_of(entry: Entry) -> dict[str, Any]:
    """Return the tools to offer or not, as attributes of an upstream."""
    tools = ("tools",) if isinstance(entry.table.get("tools"), list) else ()
    include = entry.texts("includeTools", "enabled_tools", "enabledTools", *tools)
    exclude = entry.texts("excludeTools", "disabled_tools", "disabledTools") or ()
    if include is not None and not include:
        return {"exclude": ("*",)}
    # Gemini CLI accepts names with parameters in parentheses.
    names = tuple(name.partition("(")[0].strip() for name in include or ())
    return {"include": () if "*" in names else names, "exclude": exclude}


def is_web_address(url: str) -> bool:
    """Return whether it is an address of http or https with a host."""
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def upstream_of(entry: Entry, form: Form, resolver: Resolver, folder: Path | None) -> UpstreamConfig:
    """Return the upstream that an entry describes.

    Args:
        entry: the entry.
        form: what its file's host understands.
        resolver: finds the values of references.
        folder: where the program runs, unless its entry says otherwise; None: wherever the gateway runs.

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
    secrets = {*resolver.values, *env.values(), *upstream_config.in_arguments(start)}
    return UpstreamConfig(
        entry.name,
        entry.file,
        "stdio",
        _program_path(start[0], runs_in),
        tuple(start[1:]),
        env,
        runs_in,
        **common,
        secrets=_secrets(entry, secrets),
    )


def _program_path(command: str, folder: Path | None) -> str:
    """Return the path of a program that is named by one: from the folder in which it runs, on every system."""
    named_by_path = any(mark in command for mark in {"/", os.sep})
    return str(folder / command) if folder and named_by_path else command


def _start(entry: Entry, resolver: Resolver) -> list[str]:
    """Return the command and its arguments."""
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
    secrets = {*resolver.values, *upstream_config.in_headers(headers.values()), *upstream_config.in_address(url)}
    return UpstreamConfig(
        entry.name, entry.file, transport, url=url, headers=headers, **common, secrets=_secrets(entry, secrets)
    )


def _secrets(entry: Entry, values: set[str]) -> frozenset[str]:
    """Return the secrets among these. The server's own name is none, as every message about it says it."""
    return upstream_config.secrets_of(values) - {entry.name}
