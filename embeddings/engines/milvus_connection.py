"""The connection to Milvus: calls with a time limit, and its errors as those of a store."""

import logging
import os
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar

from embeddings.engines.milvus_address import CREDENTIAL, Address
from embeddings.errors import StoreAwayError, StoreError
from embeddings.stores.store import Patience


def _imported() -> ModuleType:
    # The import would read a file `.env` into the environment, and the logger prints each failed call with its stack.
    said = os.environ.get("PYTHON_DOTENV_DISABLED")
    os.environ["PYTHON_DOTENV_DISABLED"] = "1"
    try:
        found = import_module("pymilvus")
    finally:
        if said is None:
            del os.environ["PYTHON_DOTENV_DISABLED"]
        else:
            os.environ["PYTHON_DOTENV_DISABLED"] = said
    logging.getLogger("pymilvus").setLevel(logging.CRITICAL + 1)
    return found


pymilvus: Final = _imported()

Failures: Final[tuple[type[Exception], ...]] = (pymilvus.MilvusException, import_module("grpc").RpcError)
"""Errors that the client raises; a server that hangs is an error of gRPC alone."""


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
    """Return the error to raise instead of an error of the client."""
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
    """Return whether the collection must be loaded first, as after a restart of the server."""
    return code_of(error) == _RELEASED


def code_of(error: Exception) -> int | None:
    """Return the server's number for the error; None if it did not get so far."""
    code = getattr(error, "code", None)
    return code if isinstance(code, int) else None


def message_of(error: Exception) -> str:
    """Return the client's message in one line."""
    detail: Any = getattr(error, "details", None)
    said = [getattr(error, "message", ""), detail() if callable(detail) else ""]
    code = getattr(error, "code", None)
    if callable(code):  # gRPC's errors.
        said.append(getattr(code(), "name", ""))
    return " ".join(" ".join(str(part) for part in said if part).split()) or type(error).__name__


_lock: Final = threading.Lock()
_users: Final = Counter[Path]()


def acquire(file: Path) -> str:
    """Start the server unless it runs, and return its URI.

    Raises:
        StoreError: Milvus Lite is not installed, or another process uses the file.
    """
    if not file.parent.is_dir():
        raise StoreError(f"there is no folder {str(file.parent)!r}; a file of Milvus is in one that exists; make it")
    with _lock:
        uri = _servers().start_and_get_uri(str(file))
        if uri is None:
            raise StoreError(
                f"{str(file)!r} cannot be opened; one process at a time uses a file of Milvus Lite; "
                "end the other process, or start a server for several: milvus-lite server --host 127.0.0.1 "
                "--data-dir FILE.db"
            )
        _users[file] += 1
        return str(uri)


def release(file: Path) -> None:
    """End the server after its last user, so that another process can use the file."""
    with _lock:
        _users[file] -= 1
        if _users[file] <= 0:
            del _users[file]
            _servers().release_server(str(file))


def _servers() -> Any:
    try:
        return import_module("milvus_lite.server_manager").server_manager_instance
    except ModuleNotFoundError as error:
        raise StoreError(
            "the package 'milvus-lite' is missing; files of Milvus need the extra 'milvus'; install it with: pip "
            "install 'agent-capabilities[milvus]'"
        ) from error


Row = dict[str, Any]
Result = TypeVar("Result")

MAX_ROWS: Final = 1000
MAX_CHARACTERS: Final = 8_000_000
"""Largest batch of rows that is written at once; a server takes 64 MB."""


class Connection:
    """A client of one place, opened when it is first needed. Safe to share between threads."""

    def __init__(self, address: Address, patience: Patience) -> None:
        """Keep the options; the first use opens a connection."""
        self.address, self.patience = address, patience
        self._lock = threading.Lock()
        self._opened: Any = None

    def query(self, name: str, seconds: float | None = None, **given: Any) -> list[Row]:
        """Rows of a collection by filter or ids; at most 16,384."""
        return [dict(row) for row in self._call("query", name, seconds or self.patience.read, **given)]

    def count(self, name: str, where: str = "", consistency: str = "Strong") -> int:
        """Return how many rows pass a filter."""
        rows = self.query(name, filter=where, output_fields=["count(*)"], consistency_level=consistency)
        return int(rows[0]["count(*)"])

    def search(self, name: str, **given: Any) -> list[list[Row]]:
        """Return the nearest rows, for each vector."""
        return [[dict(hit) for hit in hits] for hits in self._call("search", name, self.patience.read, **given)]

    def scan(self, name: str, fields: Sequence[str], batch: int) -> Iterator[Row]:
        """Yield all rows of a collection, however many there are."""
        given = {"batch_size": batch, "output_fields": [*fields], "consistency_level": "Strong"}
        found = self._call("query_iterator", name, self.patience.write, **given)
        try:
            while rows := self._told(found.next):
                yield from map(dict, rows)
        finally:
            found.close()

    def upsert(self, name: str, rows: Sequence[Row], size: Callable[[Row], int] = lambda _: 0) -> None:
        """Write rows; one that has the primary key of another replaces it."""
        for batch in batches(rows, size):
            self._call("upsert", name, self.patience.write, data=batch)

    def delete(self, name: str, ids: Sequence[int] | Sequence[str]) -> None:
        """Remove the rows with these primary keys; unknown ones are none."""
        for start in range(0, len(ids), MAX_ROWS):
            self._call("delete", name, self.patience.write, ids=[*ids[start : start + MAX_ROWS]])

    def exists(self, name: str) -> bool:
        """Return whether there is such a collection."""
        return bool(self._call("has_collection", name, self.patience.read))

    def run(self, method: str, name: str, **given: Any) -> Any:
        """Any other method of the client that takes the name of a collection, however long it takes."""
        return self._call(method, name, self.patience.index, **given)

    def params(self) -> Any:
        """Parameters of indexes, to be filled."""
        return pymilvus.MilvusClient.prepare_index_params()

    def close(self) -> None:
        """Let go of the connection; it is opened again when needed."""
        with self._lock:
            opened, self._opened = self._opened, None
        if opened:
            opened.close()
            if self.address.file:
                release(self.address.file)

    def _call(self, method: str, name: str, seconds: float, **given: Any) -> Any:
        client = self._client()
        call = partial(getattr(client, method), name, timeout=seconds, **given)
        try:
            return call()
        except Failures as error:
            if not is_released(error):
                raise self._away(error) from error
        self._told(partial(client.load_collection, name, timeout=self.patience.write))
        return self._told(call)

    def _told(self, call: Callable[[], Result]) -> Result:
        try:
            return call()
        except Failures as error:
            raise self._away(error) from error

    def _away(self, error: Exception) -> Exception:
        found = told(error, self.address)
        if isinstance(found, StoreAwayError) and not self.address.file:
            # A new connection is tried at once; an old one waits longer and longer. Other threads may still use it.
            with self._lock:
                self._opened = None
        return found

    def _client(self) -> Any:
        with self._lock:
            if self._opened is None:
                self._opened = self._new()
            return self._opened

    def _new(self) -> Any:
        file = self.address.file
        uri = acquire(file) if file else self.address.server
        try:
            return pymilvus.MilvusClient(
                uri,
                token=self.address.secret,
                db_name=self.address.database,
                timeout=self.patience.connect,
                dedicated=True,
            )
        except Failures as error:
            if file:
                release(file)
            raise told(error, self.address) from error


def batches(rows: Sequence[Row], size: Callable[[Row], int]) -> Iterator[list[Row]]:
    """Rows in groups that are not too many, and together not too large."""
    batch: list[Row] = []
    total = 0
    for row in rows:
        more = size(row)
        if batch and (len(batch) >= MAX_ROWS or total + more > MAX_CHARACTERS):
            yield batch
            batch, total = [], 0
        batch.append(row)
        total += more
    if batch:
        yield batch
