"""Finds what is secret in arguments, headers and addresses."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from urllib.parse import unquote, unquote_plus

from server.gateway.configuration.upstream_config import SHORTEST_SECRET

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
    """Those that are long enough, with the lines of those that have several."""
    parts = {part.strip() for value in values for part in (value, *value.splitlines())}
    return frozenset(part for part in parts if len(part) >= SHORTEST_SECRET)


def in_headers(values: Iterable[str]) -> Iterator[str]:
    """The values of headers, and what follows a scheme such as `Bearer`."""
    for value in values:
        yield value
        scheme = _SCHEME.fullmatch(value.strip())
        if scheme:
            yield scheme[1]


def in_address(address: str) -> Iterator[str]:
    """The user, the password, the values of the query, as written and decoded; and keys in the path."""
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
    """A value that is secret as a whole, or after `Name:` as in a header."""
    yield value
    yield from in_headers([value.partition(":")[2].strip() or value])
