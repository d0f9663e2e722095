"""One request to the page's API, as answers read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from server.errors import CallerError, brief

MOST_CANDIDATES: Final = 100
"""Candidates that one answer can hold."""


@dataclass(frozen=True)
class Asked:
    """What a caller asks.

    Attributes:
        service: what answers. It is read once, so that one catalog answers the whole request.
        endpoint: name of what is asked for.
        params: parameters of the address.
        families: families of tools that the caller may use.
        body: what was sent along.
    """

    service: Any
    endpoint: str
    params: Mapping[str, str]
    families: Sequence[str] = ()
    body: bytes = b""

    def text(self, name: str, what: str) -> str:
        """A parameter that must be given.

        Raises:
            CallerError: it is missing.
        """
        value = self.params.get(name)
        if value is None:
            raise CallerError(
                f"the parameter {name!r} is missing; api/{self.endpoint} needs {what}; add {name}= to the address"
            )
        return value

    def count(self, name: str, default: int) -> int:
        """A parameter that is a number of candidates.

        Raises:
            CallerError: it is something else.
        """
        value = self.params.get(name)
        if value is None:
            return default
        if not (len(value) <= 3 and value.isascii() and value.isdecimal() and 1 <= int(value) <= MOST_CANDIDATES):
            raise CallerError(
                f"the parameter {name!r} is {brief(value)}; it must be a whole number from 1 to {MOST_CANDIDATES}; "
                "correct it"
            )
        return int(value)
