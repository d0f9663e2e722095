"""The store in Milvus: a file of Milvus Lite, a server or a cluster."""

import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, TypeVar

from embeddings.arrays import FloatArray
from embeddings.engines import milvus_state, milvus_writing
from embeddings.engines.milvus_address import Address
from embeddings.engines.milvus_collections import Version, create_version, finish
from embeddings.engines.milvus_connection import Connection, GoneError, Row
from embeddings.engines.milvus_rows import content_of, id_of, key_of, texts_in, token
from embeddings.engines.milvus_search import Search
from embeddings.engines.milvus_state import Published, parts
from embeddings.errors import StoreError
from embeddings.stores.manifest import Manifest
from embeddings.stores.record import StoredLabel
from embeddings.stores.store import EVERYTHING, Counts, Filter, Patience, changed_meanwhile

_AT_ONCE: Final = 100
_FIELDS: Final = ["token", "key", "edition", "fingerprint", "size", "parts", "record"]


def read_records(connection: Connection, found: Published, keys: Sequence[str], consistency: str) -> list[StoredLabel]:
    """See `Store.records`."""
    tokens = [*{token(key): None for key in keys}]
    rows: dict[str, Row] = {}
    for start in range(0, len(tokens), _AT_ONCE):
        asked = texts_in("token", tokens[start : start + _AT_ONCE])
        for row in connection.query(
            found.version.labels, filter=asked, output_fields=_FIELDS, consistency_level=consistency
        ):
            rows[row["token"]] = row
    return [_unpacked(connection, found, key, rows[token(key)]) for key in keys if token(key) in rows]


def damaged(connection: Connection, what: str, error: ValueError) -> StoreError:
    """Return the error to raise for bytes that are not as they were written."""
    return StoreError(
        f"{what} in {connection.address.shown!r} is damaged, or of another version of this program ({error}); it must "
        "be as build-vectors wrote it; build the store anew"
    )


def problems(connection: Connection, found: Published, labels: int) -> Iterator[str]:
    """Yield what is wrong.

    Args:
        connection: to the place.
        found: the version that is checked.
        labels: how many the manifest tells of.
    """
    stored = phrases = names = 0
    for row in connection.scan(found.version.labels, [*_FIELDS, "names"], _AT_ONCE):
        stored, phrases, names = stored + 1, phrases + row["size"], names + row["names"]
        key = key_of(row)
        try:
            record = _record(connection, found, row)
        except ValueError as error:
            yield f"the record of {key!r} is damaged: {error}"
            continue
        if (record.key, record.fingerprint) != (key, row["fingerprint"]):
            yield f"the record of {key!r} is that of another label, or of another version of it"
    if stored != labels:
        yield f"{stored:,} labels are stored, but the manifest tells of {labels:,}"
    for what, name, expected in (("vectors", found.version.phrases, phrases), ("names", found.version.names, names)):
        if (there := connection.count(name)) != expected:
            yield f"{there:,} {what} are stored, but the labels have {expected:,}"


def _unpacked(connection: Connection, found: Published, key: str, row: Row) -> StoredLabel:
    try:
        record = _record(connection, found, row)
        if record.key != key:
            raise ValueError(f"it is that of {record.key!r}")
    except ValueError as error:
        raise damaged(connection, f"the record of {key!r}", error) from error
    return record


def _record(connection: Connection, found: Published, row: Row) -> StoredLabel:
    more = [id_of(row["edition"], place) for place in range(1, row["parts"])]
    return StoredLabel.unpack(content_of([row["record"], *parts(connection, found.version, more)]))


Result = TypeVar("Result")

_FRESH: Final = 1.0
"""Seconds for which what is published is not asked again; replicas compare revisions as often."""

_SETTLED: Final = 30.0
"""Seconds after a change from when on all parts of a cluster have it, so that reading need not wait for them."""

_locks: Final[dict[str, threading.RLock]] = {}


class MilvusStore:
    """A store whose collections have one prefix.

    Any number of processes read it, of a file of Milvus Lite only one. Those that put, remove or publish take turns,
    see `alone`. But Milvus has no transactions: if a process is killed between the records and the manifest that it
    puts, or stands still for longer than its turn lasts, statistics stay as they were before, and `verify` tells of it.
    """

    def __init__(self, uri: str, patience: Patience | None = None) -> None:
        """Use a place, which need not have anything yet; connects when it is first used.

        Args:
            uri: see `Address.parse`.
            patience: how long to wait for the server.

        Raises:
            StoreError: the URI is malformed.
        """
        address = Address.parse(uri)
        self._connection = Connection(address, patience or Patience())
        self._writing = _locks.setdefault(address.place, threading.RLock())
        self._known: tuple[float, float, Published] | None = None

    def __repr__(self) -> str:
        return f"MilvusStore({self._connection.address.shown!r})"

    def manifest(self) -> Manifest:
        """See `Store`."""
        try:
            try:
                content = milvus_state.manifest(self._connection, self._now())
            except (GoneError, ValueError):  # It was replaced between the two questions.
                content = milvus_state.manifest(self._connection, self._now())
            return Manifest.unpack(content)
        except ValueError as error:
            raise damaged(self._connection, "the manifest", error) from error

    def revision(self) -> str:
        """See `Store`."""
        return self._now().revision

    def nearest(self, vectors: FloatArray, labels: int, where: Filter = EVERYTHING) -> list[list[str]]:
        """See `Store`."""
        return self._read(
            lambda found, consistency: Search(self._connection, found, where, consistency).nearest(vectors, labels)
        )

    def named(self, texts: Sequence[str], where: Filter = EVERYTHING) -> list[str]:
        """See `Store`."""
        return self._read(lambda found, consistency: Search(self._connection, found, where, consistency).named(texts))

    def records(self, keys: Sequence[str]) -> list[StoredLabel]:
        """See `Store`."""
        return self._read(lambda found, consistency: read_records(self._connection, found, keys, consistency))

    def count(self) -> Counts:
        """See `Store`."""
        return self._read(
            lambda found, _: Counts(
                self._connection.count(found.version.labels), self._connection.count(found.version.phrases)
            )
        )

    def put(self, records: Sequence[StoredLabel], manifest: Manifest, revision: str) -> None:
        """See `Store`; each label is replaced in one step, the manifest after them."""
        salt = secrets.token_bytes(8)
        self._change(lambda version: milvus_writing.write(self._connection, version, records, salt), manifest, revision)

    def remove(self, keys: Sequence[str], manifest: Manifest, revision: str) -> None:
        """See `Store`; works as `put` does."""
        self._change(lambda version: milvus_writing.remove(self._connection, version, keys), manifest, revision)

    def _change(self, action: Callable[[Version], None], manifest: Manifest, revision: str) -> None:
        packed = manifest.pack()
        with self._writing:
            self._unchanged(revision)  # Before others have to wait.
            with milvus_writing.alone(self._connection) as check:
                found = self._unchanged(revision)
                action(found.version)
                check()
                self._remember(milvus_state.save(self._connection, found, packed))

    def _unchanged(self, revision: str) -> Published:
        """Return the published version if it is still the one that the caller read."""
        found = self._now()
        if found.revision != revision:
            raise changed_meanwhile(self._connection.address.shown)
        return found

    def stored(self, version: str) -> Mapping[str, str]:
        """See `Store`."""
        place = milvus_state.building(self._connection, version)
        if not self._connection.exists(place.labels):
            return {}
        rows = self._connection.scan(place.labels, ["token", "key", "fingerprint"], 1000)
        return {key_of(row): row["fingerprint"] for row in rows}

    def write(self, version: str, records: Sequence[StoredLabel]) -> None:
        """See `Store`."""
        if not records:
            return
        with self._writing:
            place = milvus_state.building(self._connection, version)
            milvus_state.begin(self._connection, place)
            create_version(self._connection, place, records[0].blocks.width)
            milvus_writing.write(self._connection, place, records)

    def publish(self, version: str, manifest: Manifest) -> None:
        """See `Store`.

        The index is built before the switch, so that readers wait for nothing. The version that was published remains
        as the previous one; that before it is dropped.
        """
        packed = manifest.pack()
        with self._writing:
            place = milvus_state.building(self._connection, version)
            if not self._connection.exists(place.labels):
                shown = self._connection.address.shown
                raise StoreError(
                    f"version {version!r} is not in {shown!r}; it must be written before it is published; run "
                    f"`agent-capabilities build-vectors --catalog FILE --store {shown}`"
                )
            index = finish(self._connection, place)
            with milvus_writing.alone(self._connection) as check:
                before, previous = "", ""
                with suppress(StoreError):
                    now = self._now()
                    before, previous = now.previous, now.version.name
                check()
                found = milvus_state.save(self._connection, Published(place, previous, index), packed)
            self._remember(found)
            milvus_state.clean(self._connection, found, before)

    def verify(self) -> list[str]:
        """See `Store`."""
        expected = self.manifest().statistics.labels
        return self._read(lambda found, _: [*problems(self._connection, found, expected)])

    def close(self) -> None:
        """See `Store`."""
        self._known = None
        self._connection.close()

    def _read(self, action: Callable[[Published, str], Result]) -> Result:
        known = self._known
        if known and time.monotonic() - known[0] < _FRESH:
            with suppress(GoneError):
                return action(known[2], self._consistency())
        for _ in range(2):
            # A version that was just dropped has been replaced.
            with suppress(GoneError):
                return action(self._now(), self._consistency())
        return action(self._now(), self._consistency())

    def _consistency(self) -> str:
        known = self._known
        return "Bounded" if known and time.monotonic() - known[1] > _SETTLED else "Strong"

    def _now(self) -> Published:
        return self._remember(milvus_state.published(self._connection))

    def _remember(self, found: Published) -> Published:
        known, now = self._known, time.monotonic()
        same = known is not None and known[2].revision == found.revision
        self._known = (now, known[1] if known and same else now, found)
        return found
