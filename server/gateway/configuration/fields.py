"""The fields of one server's entry, read with their types. Messages never repeat a value, which could be secret."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from server.errors import CallerError, brief

LONGEST: Final = 24 * 3600.0
"""Maximum seconds of a time limit; longer ones are cut to it."""

LONGEST_NUMBER: Final = 1024
"""Maximum bits of a number that is used as text."""

_KINDS: Final = {
    dict: "a table",
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
}


@dataclass(frozen=True)
class Entry:
    """A server's entry.

    Attributes:
        name: the server's name.
        file: the file.
        table: what the file says of it.
    """

    name: str
    file: Path
    table: Mapping[str, object] = field(repr=False)

    @property
    def where(self) -> str:
        """The entry and its file, for messages."""
        return f"server {brief(self.name)} of {brief(str(self.file))}"

    def wrong(self, key: str, rule: str) -> CallerError:
        """The error for a value that cannot be used."""
        kind = _KINDS.get(type(self.table.get(key)), "something else")
        return CallerError(f"{self.where} has {brief(key)} as {kind}; it must be {rule}; correct it in the file")

    def text(self, *keys: str) -> str | None:
        """The first of these that is there and not empty."""
        for key in keys:
            value = self.table.get(key)
            if value is not None and not isinstance(value, str):
                raise self.wrong(key, "text")
            if value:
                return self._plain(key, value)
        return None

    def texts(self, *keys: str) -> tuple[str, ...] | None:
        """The first list of texts that is there; numbers in it become texts."""
        for key in keys:
            value = self.table.get(key)
            if value is None:
                continue
            if not isinstance(value, list) or not all(_is_scalar(one) for one in value):
                raise self.wrong(key, "a list of texts")
            return tuple(self._plain(key, _scalar(one)) for one in value)
        return None

    def named(self, *keys: str) -> dict[str, str]:
        """Names and texts of all of these tables; numbers become texts, and null is passed over."""
        found: dict[str, str] = {}
        for key in keys:
            value = self.table.get(key)
            if value is None:
                continue
            if not isinstance(value, dict) or not all(one is None or _is_scalar(one) for one in value.values()):
                raise self.wrong(key, "a table of names and texts")
            pairs = ((self._plain(key, name), _scalar(one)) for name, one in value.items() if one is not None)
            found |= {name: self._plain(key, one) for name, one in pairs}
        return found

    def flag(self, key: str) -> bool | None:
        """True or false, if it is there."""
        value = self.table.get(key)
        if value is not None and not isinstance(value, bool):
            raise self.wrong(key, "true or false")
        return value

    def seconds(self, key: str) -> float | None:
        """A positive number, if it is there."""
        value = self.table.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
            raise self.wrong(key, "a number above 0")
        return float(value) if value < 1e15 else 1e15

    def _plain(self, key: str, value: str) -> str:
        if "\0" in value:
            raise self.wrong(key, "without NUL characters")
        return value


def _is_scalar(value: object) -> bool:
    # Python refuses to write very long numbers out, which TOML can have in hexadecimal.
    return isinstance(value, str | float) or (isinstance(value, int) and value.bit_length() <= LONGEST_NUMBER)


def _scalar(value: str | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
