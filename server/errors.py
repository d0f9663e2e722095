"""Errors of callers and of the data. Each message gives the bad value, the rule or known values, and the next step."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import ValidationError

SHOWN: Final = 160
"""Maximum characters of a bad value that a message repeats."""


_SEPARATORS: Final = 2
_QUOTED: Final = re.compile(r"""(?<![\w'"])(['"])(?:\\.|(?!\1).)*?(?:\1|\.\.\. \(\d+ characters\))""", re.DOTALL)
"""A value as `repr` or `brief` shows it. An apostrophe within or after a word opens none."""


Reason = Literal["unknown_tool", "not_loaded", "not_permitted", "server_unavailable"]
"""Why a tool cannot be called."""


class CallerError(Exception):
    """The caller asked for something that does not exist or makes no sense; the message says how to correct it."""


class UnavailableToolError(Exception):
    """The caller named a tool that cannot be called by its name.

    Attributes:
        reason: why, for programs; loading a family helps only with `not_loaded`, waiting with `server_unavailable`.
        data: the reason and what helps to recover, as JSON.
    """

    def __init__(self, reason: Reason, message: str, **data: Any):
        super().__init__(message)
        self.reason = reason
        self.data: dict[str, Any] = {"reason": reason, **data}


class CatalogError(Exception):
    """A data folder cannot be used; the message names the file, the entry and the field."""


@dataclass(frozen=True)
class Parts:
    """The parts of an error's message.

    Attributes:
        value: what is wrong.
        rule: what is required, or the known values.
        next_step: what to do.
    """

    value: str
    rule: str
    next_step: str

    @classmethod
    def of(cls, error: object) -> "Parts":
        """Return the parts of a message of this project; those that an error of another origin lacks are supplied."""
        message = str(error)
        quoted = [found.span() for found in _QUOTED.finditer(message)]
        ends = [at.start() for at in re.finditer("; ", message) if not any(a < at.start() < b for a, b in quoted)]
        if len(ends) < _SEPARATORS:
            return cls(message, "the command cannot go on with it", "correct it and run the command again")
        return cls(message[: ends[0]], message[ends[0] + 2 : ends[-1]], message[ends[-1] + 2 :])

    def __str__(self) -> str:
        return f"{self.value}; {self.rule}; {self.next_step}"


def brief(value: object) -> str:
    """Format a value for a message: quoted, and cut if it is long."""
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}... ({len(text)} characters)"


def nearest(value: str, known: Iterable[str], count: int = 1) -> list[str]:
    """Return the known values most similar to an unknown one, best first."""
    # Imported here because no server needs it before a caller is mistaken.
    from rapidfuzz import process

    hits = process.extract(value[:SHOWN].casefold(), {name: name.casefold() for name in known}, limit=count)
    return [name for _, _, name in hits]


def unknown(what: str, value: str, known: Iterable[str], next_step: str) -> CallerError:
    """Return the error for a value outside a known set; it suggests the nearest known value."""
    names = list(known)
    close = nearest(value, names)
    hint = f"; did you mean {close[0]!r}?" if close else ";"
    return CallerError(f"unknown {what} {brief(value)}; known: {', '.join(names)}{hint} {next_step}")


def invalid_arguments(tool: str, error: ValidationError) -> CallerError:
    """Return the error for arguments that do not fit the schema: names the first wrong one and what it must be."""
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "arguments"
    if first["type"] == "missing":
        return CallerError(f"{tool} needs the argument {where!r}, which is missing; call again with it")
    return CallerError(
        f"{tool} got {brief(first['input'])} for {where!r}; {first['msg'].lower()}; correct it and call again"
    )
