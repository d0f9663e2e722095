"""Errors of the client as errors of a store."""

import re
from typing import Any, Final

from embeddings.errors import StoreAwayError, StoreError
from embeddings.index.stores.milvus.address import CREDENTIAL, Address

_MISSING: Final = 100
_RELEASED: Final = 101
_AWAY: Final = frozenset({2, 4, 8})
"""Codes of failures that pass: no connection, and too many requests."""

_AWAY_TEXT: Final = re.compile(
    r"deadline|timeout|timed out|unavailable|retry run out|not ready|cancelled", re.IGNORECASE
)
_REFUSED_TEXT: Final = re.compile(r"auth|permission|privilege|certificate|SSL", re.IGNORECASE)
_FULL_TEXT: Final = re.compile(r"no space left|disk|quota", re.IGNORECASE)


class GoneError(StoreError):
    """A collection is not there, as if the version had been dropped a moment ago."""


def told(error: Exception, address: Address) -> StoreError:
    """What to raise instead of an error of the client."""
    said = address.hide(message_of(error))[:300]
    if code_of(error) == _MISSING:
        return GoneError(
            f"{address.shown!r} misses a collection ({said}); all collections of a version must be there; build the "
            "store anew"
        )
    if _FULL_TEXT.search(said):
        return StoreError(
            f"{address.shown!r} has no room ({said}); the disk must have space for two versions; free some"
        )
    if _REFUSED_TEXT.search(said):
        return StoreError(
            f"{address.shown!r} refuses the connection ({said}); the token must be one that the server knows, with the "
            f"rights to make and read collections; correct the environment variable {CREDENTIAL}"
        )
    if code_of(error) in _AWAY or _AWAY_TEXT.search(said):
        return StoreAwayError(
            f"{address.shown!r} does not answer ({said}); the server must run and answer within some seconds; start "
            "it, or wait until it is back"
        )
    return StoreError(
        f"{address.shown!r} refuses ({said}); its collections must be as this version of the program writes them; "
        "build the store anew"
    )


def is_released(error: Exception) -> bool:
    """Whether the collection must be loaded first, as after a restart of the server."""
    return code_of(error) == _RELEASED


def code_of(error: Exception) -> int | None:
    """The server's number for the error; None if it did not get so far."""
    code = getattr(error, "code", None)
    return code if isinstance(code, int) else None


def message_of(error: Exception) -> str:
    """What the client says, in one line."""
    detail: Any = getattr(error, "details", None)
    said = [getattr(error, "message", ""), detail() if callable(detail) else ""]
    code = getattr(error, "code", None)
    if callable(code):  # gRPC's errors.
        said.append(getattr(code(), "name", ""))
    return " ".join(" ".join(str(part) for part in said if part).split()) or type(error).__name__
