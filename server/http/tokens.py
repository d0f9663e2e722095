"""Bearer tokens from a file: who may call over HTTP, and under which name."""

import hmac
import logging
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from mcp.server.auth.provider import AccessToken

from server.errors import CallerError, brief
from server.files import file_stamp, read_table
from server.reloads import Reloads

logger = logging.getLogger(__name__)

MIN_TOKEN: Final = 16
"""Characters of a token; a shorter one could be guessed."""


class TokenFile:
    """Tokens by name, reloaded when the file changes. A name may have several, so that they can be rotated.

    If the changed file cannot be used, the error is logged and the previous tokens stay valid.
    """

    def __init__(self, path: Path, reloads: Reloads | None = None) -> None:
        """Read the tokens; tell `reloads` how reading them again ended.

        Raises:
            CallerError: the file cannot be read or used.
        """
        self._path = path
        self._reloads = reloads or Reloads()
        self._lock = threading.Lock()
        self._seen = file_stamp(path)
        self._tokens = read_tokens(path)

    async def verify_token(self, token: str) -> AccessToken | None:
        """Whose token it is; None if it is not in the file. It is compared with every known token, in constant time."""
        given = token.encode("utf-8", "surrogatepass")
        found: str | None = None
        for known, name in self._current().items():
            if hmac.compare_digest(known.encode(), given):
                found = name
        return AccessToken(token=token, client_id=found, scopes=[]) if found is not None else None

    def _current(self) -> Mapping[str, str]:
        with self._lock:
            stamp = file_stamp(self._path)
            if stamp != self._seen:
                self._seen = stamp
                self._reloads.report("tokens", done=self._reload())
            return self._tokens

    def _reload(self) -> bool:
        try:
            self._tokens = read_tokens(self._path)
        except CallerError as error:
            logger.error("could not reload the tokens, so the previous ones stay valid: %s", error)
            return False
        logger.info("reloaded the tokens from %s", self._path)
        return True


def read_tokens(path: Path) -> dict[str, str]:
    """Read `{"name": "token"}` or `{"name": ["token", ...]}` as JSON, or TOML if the path ends in .toml.

    Returns:
        The name of each token.

    Raises:
        CallerError: the file cannot be read or used; the message never shows a token, nor a name, which may be a token
            in the wrong place.
    """
    value = read_table(path, "token file", "names to tokens")
    if not value:
        raise CallerError(f"token file {brief(str(path))} is empty; it must map names to tokens; add one")
    tokens: dict[str, str] = {}
    for position, (name, held) in enumerate(value.items(), start=1):
        for token in _tokens_of(path, position, held):
            if tokens.setdefault(token, name) != name:
                raise CallerError(
                    f"token file {brief(str(path))}, entry {position}, has the token of another entry; "
                    "a token belongs to one person or program; generate another"
                )
    return tokens


def _tokens_of(path: Path, position: int, held: Any) -> list[str]:
    tokens = [held] if isinstance(held, str) else held
    usable = isinstance(tokens, list) and bool(tokens)
    usable = usable and all(
        isinstance(token, str) and token.isascii() and token.isprintable() and len(token) >= MIN_TOKEN
        for token in tokens
    )
    if not usable:
        raise CallerError(
            f"token file {brief(str(path))}, entry {position}, has no usable token; it must be {MIN_TOKEN} or more "
            "printable ASCII characters, or a list of such tokens; generate one with: python -c 'import secrets; "
            "print(secrets.token_urlsafe())'"
        )
    return list(tokens)
