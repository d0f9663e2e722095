"""One upstream as its configuration describes it, and the removal of its secrets from text."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal
from urllib.parse import quote, quote_plus

SHORTEST_SECRET: Final = 6
"""Minimum characters of a secret. Shorter values, such as "true" or a port, stand in texts that have nothing to do with
them."""

MARK: Final = "[secret]"
"""What stands in a text in place of a secret."""


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
    """What the files say.

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
