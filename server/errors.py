"""What the caller can get wrong, and what can be wrong with the data. Each message: bad value, rule, next step."""

from collections.abc import Iterable
from typing import Any, Final, Literal

from pydantic import ValidationError
from rapidfuzz import process

SHOWN: Final = 160
"""Characters of a bad value that a message repeats."""


class CallerError(Exception):
    """The caller asked for something that does not exist or makes no sense; the message says what would."""


class UnavailableToolError(Exception):
    """A tool that cannot be called by its name.

    Attributes:
        reason: why, for programs; only `not_loaded` is mended by loading.
        data: what would help, as JSON.
    """

    def __init__(self, reason: Literal["unknown_tool", "not_loaded", "not_permitted"], message: str, **data: Any):
        super().__init__(message)
        self.reason = reason
        self.data: dict[str, Any] = {"reason": reason, **data}


class CatalogError(Exception):
    """A data folder cannot be used; the message names the file, the entry and the field."""


def brief(value: object) -> str:
    """A value as a message shows it: quoted, and cut when long."""
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}... ({len(text)} characters)"


def nearest(value: str, known: Iterable[str], count: int = 1) -> list[str]:
    """The known values most like a bad one, best first."""
    hits = process.extract(value[:SHOWN].casefold(), {name: name.casefold() for name in known}, limit=count)
    return [name for _, _, name in hits]


def unknown(what: str, value: str, known: Iterable[str], next_step: str) -> CallerError:
    """The error for a value outside a known set, with the nearest one."""
    names = list(known)
    close = nearest(value, names)
    hint = f"; did you mean {close[0]!r}?" if close else ";"
    return CallerError(f"unknown {what} {brief(value)}; known: {', '.join(names)}{hint} {next_step}")


def invalid_arguments(tool: str, error: ValidationError) -> CallerError:
    """Arguments of a wrong shape: the first one that is wrong, and what it must be."""
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "arguments"
    if first["type"] == "missing":
        return CallerError(f"{tool} needs the argument {where!r}, which is missing; call again with it")
    return CallerError(
        f"{tool} got {brief(first['input'])} for {where!r}; {first['msg'].lower()}; call again with that"
    )
