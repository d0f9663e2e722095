"""The address of Milvus: a file of Milvus Lite, a server or a cluster."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from embeddings.errors import StoreError

CREDENTIAL: Final = "AGENT_CAPABILITIES_MILVUS_TOKEN"
"""Environment variable with the token, or `USER:PASSWORD`; a URI would show it in lists of processes."""

DEFAULT_PREFIX: Final = "agent_capabilities"

_FILE: Final = re.compile(r"milvus:(?!//)(?P<file>[^?]+\.db)(?:\?prefix=(?P<prefix>[^&?]*))?", re.IGNORECASE)
_SERVER: Final = re.compile(
    r"milvus\+(?P<scheme>https?)://(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>\d{1,5}))?"
    r"(?:/(?P<database>[A-Za-z_][A-Za-z0-9_]{0,254})?)?(?:\?prefix=(?P<prefix>[^&?]*))?",
    re.IGNORECASE,
)
_PREFIX: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")
_DEFAULT_PORT: Final = 19530
_HIDDEN: Final = "***"


@dataclass(frozen=True)
class Address:
    """A place for one catalog.

    Attributes:
        shown: the URI as messages name it; has no token.
        prefix: how the names of all collections of the store begin.
        file: folder of Milvus Lite; None if it is a server.
        server: URI of the server, as its client takes it; empty if it is a file.
        database: the server's database; empty for its default one.
        secret: the token; empty if none was given.
    """

    shown: str
    prefix: str
    file: Path | None = None
    server: str = ""
    database: str = ""
    secret: str = field(default="", repr=False)

    @classmethod
    def parse(cls, uri: str) -> Self:
        """Read `milvus:FILE.db` or `milvus+http://HOST:PORT/DATABASE`, either with `?prefix=NAME` after it.

        Raises:
            StoreError: it is no such URI.
        """
        file, server = _FILE.fullmatch(uri), _SERVER.fullmatch(uri)
        found = file or server
        if found is None:
            raise StoreError(
                f"{_without_user(uri)!r} is not the URI of Milvus; it has the form 'milvus:FILE.db', "
                "'milvus+http://HOST:PORT/DATABASE' or 'milvus+https://...', and no user or token; correct it, and "
                f"give the token in the environment variable {CREDENTIAL}"
            )
        prefix = found["prefix"] if found["prefix"] is not None else DEFAULT_PREFIX
        if not _PREFIX.fullmatch(prefix):
            raise StoreError(
                f"prefix {prefix!r} is not usable; a prefix of collections has letters, digits and '_', 63 characters "
                "at most, and does not begin with a digit; choose another"
            )
        if server is None:
            return cls(uri, prefix, Path(found["file"]).absolute())
        place = f"{server['scheme'].lower()}://{server['host']}:{server['port'] or _DEFAULT_PORT}"
        return cls(uri, prefix, None, place, server["database"] or "", os.environ.get(CREDENTIAL, ""))

    @property
    def place(self) -> str:
        """The same for all URIs of one place."""
        return f"{self.file or self.server}/{self.database}/{self.prefix}"

    def hide(self, text: str) -> str:
        """Return the text without the token, and without the password in it."""
        for secret in (self.secret, self.secret.partition(":")[2]):
            text = text.replace(secret, _HIDDEN) if secret else text
        return text


def _without_user(uri: str) -> str:
    """Return the URI without user and parameters, whatever else is wrong with it."""
    scheme, found, rest = uri.partition("://")
    return f"{scheme}://{rest.rsplit('@', 1)[-1].split('?')[0]}" if found else uri.partition("?")[0]
