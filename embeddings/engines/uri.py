"""Opens the store that a URI names; an engine's packages are imported only for its URIs."""

import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from embeddings.errors import StoreError

if TYPE_CHECKING:
    from embeddings.stores.store import Store


# Imported for types alone, so that a matcher in memory imports nothing of stores.

_ENGINES: Final[Mapping[str, tuple[str, str, str]]] = {
    "postgresql": ("postgres", "postgres_store", "PostgresStore"),
    "postgres": ("postgres", "postgres_store", "PostgresStore"),
    "milvus": ("milvus", "milvus_store", "MilvusStore"),
    "milvus+http": ("milvus", "milvus_store", "MilvusStore"),
    "milvus+https": ("milvus", "milvus_store", "MilvusStore"),
}
"""By scheme: the extra, the module of `embeddings.engines`, and the class, which takes the URI."""

_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]+):", re.IGNORECASE)
"""At least two characters, because one is a drive of Windows."""

VECTOR_FILE: Final = ".npz"
"""How the name of a vector file ends."""

STORE_FILE: Final = ".labels"
"""How the name of a store in a file ends, so that it is not taken for a vector file."""

KNOWN: Final = (
    f"FILE{VECTOR_FILE} (the vector file, in memory), FILE{STORE_FILE}, milvus:FILE.db, milvus+http://HOST:PORT[/DB], "
    "milvus+https://HOST:PORT[/DB], postgresql://..."
)

_PACKAGES: Final[Mapping[str, Sequence[str]]] = {"postgres": ("psycopg", "pgvector"), "milvus": ("pymilvus",)}
"""The package of each extra that its stores need."""


def is_vector_file(uri: str) -> bool:
    """Return whether a URI names a vector file, which is read as a whole instead of being opened as a store."""
    return uri.endswith(VECTOR_FILE) and _scheme(uri) is None


def _scheme(uri: str) -> str | None:
    scheme = _SCHEME.match(uri)
    return None if scheme is None or Path(uri).exists() else scheme[1]


def check_uri(uri: str) -> None:
    """Check that a URI names a store or a vector file, and that the packages of its engine are there; opens nothing.

    Raises:
        StoreError: it does not, or they are not.
    """
    if not is_vector_file(uri):
        _engine(uri)


def open_store(uri: str) -> "Store":
    """Return the store that a URI names; see `KNOWN`.

    Raises:
        StoreError: the URI names a vector file or none, the packages of its engine are not installed, or it refuses.
    """
    engine = _engine(uri)
    if engine is None:
        from embeddings.engines.file_store import FileStore

        return FileStore(Path(uri))
    extra, module, name = engine
    try:
        found = import_module(f"embeddings.engines.{module}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "embeddings":
            raise
        raise _missing(error.name, extra) from error
    return cast("Callable[[str], Store]", getattr(found, name))(uri)


def _engine(uri: str) -> tuple[str, str, str] | None:
    """Return the entry of `_ENGINES` for a URI; None for a store in a file."""
    scheme = _scheme(uri)
    if scheme is None:
        _check_file(uri)
        return None
    known = _ENGINES.get(scheme.lower())
    if known is None:
        raise StoreError(f"the store has the scheme {scheme!r}; known are {KNOWN}; give one of these")
    for package in _PACKAGES[known[0]]:
        if find_spec(package) is None:
            raise _missing(package, known[0])
    return known


def _missing(package: str | None, extra: str) -> StoreError:
    return StoreError(
        f"the package {package!r} is missing; stores of {extra} need the extra {extra!r}; install it "
        f"with: pip install 'agent-capabilities[{extra}]'"
    )


def _check_file(uri: str) -> None:
    if is_vector_file(uri):
        raise StoreError(
            f"{uri!r} is a vector file; it is read as a whole and is no store; open it with `Matcher.open`, or name a "
            f"file that ends with {STORE_FILE!r}"
        )
    if not uri.endswith(STORE_FILE):
        raise StoreError(f"the store is {uri!r}; known are {KNOWN}; give a file's name that ends with {STORE_FILE!r}")
