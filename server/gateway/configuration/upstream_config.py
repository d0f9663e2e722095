"""One upstream as its configuration describes it, and the removal of its secrets from text."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal
from urllib.parse import quote, quote_plus, unquote, unquote_plus

SHORTEST_SECRET: Final = 6
"""Minimum characters of a secret. Shorter values, such as "true" or a port, stand in texts that have nothing to do with
them."""

MARK: Final = "[secret]"
"""Text in place of a secret."""


@dataclass(frozen=True, repr=False)
class UpstreamConfig:
    """How to reach one upstream.

    Attributes:
        name: its name in the file.
        source: the file.
        transport: how it is reached.
        command: the program to start (stdio).
        args: the program's arguments (stdio).
        env: environment variables to add for the program (stdio).
        cwd: the folder in which the program runs (stdio); None: the gateway's own.
        url: its address (http, sse).
        headers: headers of each request (http, sse).
        timeout: seconds for one call.
        startup_timeout: seconds for connecting; None: the gateway's default.
        include: names or globs of the only tools to offer; empty: all.
        exclude: names or globs of tools not to offer; it overrides `include`.
        secrets: values that nothing we write may show.
    """

    name: str
    source: Path
    transport: Literal["stdio", "http", "sse"]
    command: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, hash=False)
    cwd: Path | None = None
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, hash=False)
    timeout: float = 60.0
    startup_timeout: float | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    secrets: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        """Everything but values of variables and headers, and without secrets."""
        start = " ".join([self.command, *self.args]) if self.command is not None else self.url or ""
        shown = f"name={self.name!r}, source={str(self.source)!r}, transport={self.transport!r}, start={start!r}"
        names = f"env={sorted(self.env)}, headers={sorted(self.headers)}, timeout={self.timeout}"
        return f"UpstreamConfig({redacted(shown, self.secrets)}, {names})"


@dataclass(frozen=True)
class Configuration:
    """The configuration as read from the files.

    Attributes:
        upstreams: the servers to connect to.
        reports: what keeps a server away or changes its name, in three parts; for the log as warnings.
        notes: what is left out on purpose (disabled, this gateway itself, the same server again), in three parts; for
            the log as information.
        variables: environment variables that the files refer to, in order of their names.
    """

    upstreams: tuple[UpstreamConfig, ...]
    reports: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()


def redacted(text: str, secrets: Iterable[str]) -> str:
    """Replace each secret by "[secret]", also where it stands escaped as in JSON, Python's `repr` or a URL.

    Overlapping secrets are replaced together. Redact before you cut a text: a part of a secret is not recognized.
    """
    spans = sorted(_spans(text, {form for secret in secrets for form in _written_forms(secret)}))
    parts: list[str] = []
    end = 0
    for start, stop in spans:
        if start >= end:
            parts += [text[end:start], MARK]
        end = max(end, stop)
    return "".join(parts) + text[end:]


def _written_forms(secret: str) -> set[str]:
    if not secret:
        return set()
    plain = secret.encode(errors="surrogatepass")
    escaped = {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], repr(secret)[1:-1]}
    return {secret, *escaped, quote(plain), quote(plain, safe=""), quote_plus(plain)}


def _spans(text: str, found: Iterable[str]) -> Iterator[tuple[int, int]]:
    for value in found:
        at = text.find(value)
        while at >= 0:
            yield at, at + len(value)
            at = text.find(value, at + 1)


_SECRET_NAME: Final = re.compile(
    r"(?i)key|token|secret|passw|passphrase|\bpass\b|\bpwd\b|\bpat\b|auth|bearer|credential|header|dsn|connection"
)
_OPTION: Final = re.compile(r"(--?[A-Za-z][\w.-]*)=(.+)", re.DOTALL)
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=(.+)", re.DOTALL)
_KNOWN_TOKEN: Final = re.compile(r"(?:sk-|gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|AIza|AKIA|eyJ)[\w.+/=-]+")
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_RANDOM: Final = re.compile(r"(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])[\w.~+=-]{20,}")
"""Parts of a path that are no words. Some servers have their key in the path."""

_SCHEME: Final = re.compile(r"[A-Za-z][\w-]*[ \t]+(\S.*)", re.DOTALL)


def secrets_of(values: Iterable[str]) -> frozenset[str]:
    """Return the secrets that are long enough, and the lines of secrets that have several."""
    parts = {part.strip() for value in values for part in (value, *value.splitlines())}
    return frozenset(part for part in parts if len(part) >= SHORTEST_SECRET)


def in_headers(values: Iterable[str]) -> Iterator[str]:
    """Yield the values of headers, and what follows a scheme such as `Bearer`."""
    for value in values:
        yield value
        scheme = _SCHEME.fullmatch(value.strip())
        if scheme:
            yield scheme[1]


def in_address(address: str) -> Iterator[str]:
    """Yield the user, the password, the values of the query, as written and decoded; and keys in the path."""
    rest, _, fragment = address.partition("#")
    rest, _, query = rest.partition("?")
    authority, _, path = rest.partition("://")[2].partition("/")
    yield from (part for part in path.split("/") if _RANDOM.fullmatch(part) or _KNOWN_TOKEN.fullmatch(part))
    user, at, _ = authority.rpartition("@")
    for value in [user, *user.partition(":")[::2]] if at else []:
        yield from (value, unquote(value))
    for pair in re.split("[&;]", f"{query}&{fragment}"):
        value = pair.partition("=")[2] or pair
        yield from (value, unquote_plus(value), unquote(value))


def in_arguments(arguments: Sequence[str]) -> Iterator[str]:
    """Values of options with telling names, of `NAME=value`, in addresses, and tokens of well-known forms."""
    for index, argument in enumerate(arguments):
        yield from _in_argument(argument)
        before = arguments[index - 1] if index else ""
        if (
            before.startswith("-")
            and "=" not in before
            and _SECRET_NAME.search(before)
            and not argument.startswith("-")
        ):
            yield from _in_value(argument)


def _in_argument(argument: str) -> Iterator[str]:
    option = _OPTION.fullmatch(argument)
    if option:
        yield from _in_argument(option[2])
        if _SECRET_NAME.search(option[1]):
            yield from _in_value(option[2])
    variable = _VARIABLE.fullmatch(argument)
    if variable:
        yield variable[1]
    if _ADDRESS.match(argument):
        yield from in_address(argument)
    yield from _KNOWN_TOKEN.findall(argument)


def _in_value(value: str) -> Iterator[str]:
    """Yield a value that is secret as a whole, or after `Name:` as in a header."""
    yield value
    yield from in_headers([value.partition(":")[2].strip() or value])
