"""Calls of Milvus, each with a time limit, and its errors as those of a store."""

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from embeddings.errors import StoreAwayError
from embeddings.index.stores.milvus import lite
from embeddings.index.stores.milvus.address import Address
from embeddings.index.stores.milvus.driver import Failures, pymilvus
from embeddings.index.stores.milvus.faults import is_released, told
from embeddings.index.stores.patience import Patience

Row = dict[str, Any]
Result = TypeVar("Result")

MOST_ROWS: Final = 1000
MOST_CHARACTERS: Final = 8_000_000
"""Largest batch of rows that is written at once; a server takes 64 MB."""


class Connection:
    """A client of one place, opened when it is first needed. Safe to share between threads."""

    def __init__(self, address: Address, patience: Patience) -> None:
        """Connect to nothing yet."""
        self.address, self.patience = address, patience
        self._lock = threading.Lock()
        self._opened: Any = None

    def query(self, name: str, seconds: float | None = None, **given: Any) -> list[Row]:
        """Rows of a collection by filter or ids; at most 16,384."""
        return [dict(row) for row in self._call("query", name, seconds or self.patience.read, **given)]

    def count(self, name: str, where: str = "", consistency: str = "Strong") -> int:
        """How many rows pass a filter."""
        rows = self.query(name, filter=where, output_fields=["count(*)"], consistency_level=consistency)
        return int(rows[0]["count(*)"])

    def search(self, name: str, **given: Any) -> list[list[Row]]:
        """The nearest rows, for each vector."""
        return [[dict(hit) for hit in hits] for hits in self._call("search", name, self.patience.read, **given)]

    def scan(self, name: str, fields: Sequence[str], batch: int) -> Iterator[Row]:
        """All rows of a collection, however many there are."""
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
        for start in range(0, len(ids), MOST_ROWS):
            self._call("delete", name, self.patience.write, ids=[*ids[start : start + MOST_ROWS]])

    def exists(self, name: str) -> bool:
        """Whether there is such a collection."""
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
                lite.release(self.address.file)

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
        uri = lite.acquire(file) if file else self.address.server
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
                lite.release(file)
            raise told(error, self.address) from error


def batches(rows: Sequence[Row], size: Callable[[Row], int]) -> Iterator[list[Row]]:
    """Rows in groups that are not too many, and together not too large."""
    batch: list[Row] = []
    total = 0
    for row in rows:
        more = size(row)
        if batch and (len(batch) >= MOST_ROWS or total + more > MOST_CHARACTERS):
            yield batch
            batch, total = [], 0
        batch.append(row)
        total += more
    if batch:
        yield batch
