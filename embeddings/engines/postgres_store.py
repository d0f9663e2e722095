"""The store in PostgreSQL with the extension pgvector."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, LiteralString

from embeddings.arrays import FloatArray
from embeddings.engines import postgres_search as search
from embeddings.engines import postgres_versions as versions
from embeddings.engines import postgres_writing as writing
from embeddings.engines.postgres_address import Address
from embeddings.engines.postgres_connections import Connection, Connections, Result
from embeddings.engines.postgres_schema import Tables, create_indexes, drop, ensure, read_back, token
from embeddings.engines.postgres_versions import Published
from embeddings.errors import StoreAwayError, StoreError
from embeddings.stores.manifest import Manifest
from embeddings.stores.record import StoredLabel
from embeddings.stores.store import EVERYTHING, Counts, Filter, Patience, changed_meanwhile

_BATCH: Final = 500

_COUNTS: Final[LiteralString] = """
select (select count(*) from {labels}), (select count(*) from {phrases}), (select coalesce(sum(size), 0) from {labels}),
    (select count(*) from {phrases} where not exists (select 1 from {labels} where number = label))
"""

_VECTOR_INDEX: Final[LiteralString] = """
select 1 from pg_index join pg_class on pg_class.oid = indexrelid
where indrelid = to_regclass(%s) and indisvalid and relam = (select oid from pg_am where amname = 'hnsw')
"""

_RECORDS: Final[LiteralString] = """
select number, key, fingerprint, record from {labels} where number > %s order by number limit %s
"""


def problems(connection: Connection, version: Published, labels: int) -> Iterator[str]:
    """Yield what is wrong.

    Args:
        connection: within a transaction.
        version: what is checked.
        labels: how many the manifest tells of.
    """
    tables = version.tables
    stored, phrases, sizes, lost = connection.execute(tables.statement(_COUNTS)).fetchone() or (0, 0, 0, 0)
    if stored != labels:
        yield f"{stored:,} labels are stored, but the manifest tells of {labels:,}"
    if (stored, phrases) != (version.labels, version.phrases):
        yield (
            f"{stored:,} labels and {phrases:,} phrases are stored, but {version.labels:,} and {version.phrases:,} "
            "were counted when they were written"
        )
    if phrases != sizes:
        yield f"{phrases:,} vectors are stored, but the labels have {sizes:,} phrases"
    if lost:
        yield f"{lost:,} vectors are of labels that are not stored"
    if not connection.execute(_VECTOR_INDEX, (tables.phrases.as_string(),)).fetchone():
        yield "the index of the vectors is missing or invalid"
    yield from _damaged(connection, tables)


def _damaged(connection: Connection, tables: Tables) -> Iterator[str]:
    last = 0
    while rows := connection.execute(tables.statement(_RECORDS), (last, _BATCH), binary=True).fetchall():
        last = rows[-1][0]
        for _, key, fingerprint, content in rows:
            try:
                record = StoredLabel.unpack(content)
            except ValueError as error:
                yield f"the record of {read_back(key)!r} is damaged: {error}"
                continue
            if (record.key, record.fingerprint) != (read_back(key), fingerprint):
                yield f"the record of {read_back(key)!r} is that of another label, or of another version of it"


class PostgresStore:
    """A store in one schema of a database, which any number of processes and machines share."""

    def __init__(self, uri: str, patience: Patience | None = None) -> None:
        """Use a schema, which need not exist yet; connects when it is first used.

        Args:
            uri: see `Address.parse`.
            patience: how long to wait for the server.

        Raises:
            StoreError: the URI is malformed.
        """
        self._address = Address.parse(uri)
        self._patience = patience or Patience()
        self._connections = Connections(self._address, self._patience)
        self._known: Published | None = None

    def __repr__(self) -> str:
        return f"PostgresStore({self._address.shown!r})"

    def manifest(self) -> Manifest:
        """See `Store`."""

        def read(connection: Connection) -> bytes:
            found = versions.published(connection, self._address)
            return versions.manifest(connection, found.tables)

        content = self._connections.run(read, self._patience.write)
        try:
            return Manifest.unpack(content)
        except ValueError as error:
            raise self._damaged("the manifest", error) from error

    def revision(self) -> str:
        """See `Store`."""
        return self._read(lambda _, found: lambda: found.revision)

    def nearest(self, vectors: FloatArray, labels: int, where: Filter = EVERYTHING) -> list[list[str]]:
        """See `Store`."""
        return self._read(
            lambda connection, found: search.nearest(connection, found.tables, found.phrases, vectors, labels, where)
        )

    def named(self, texts: Sequence[str], where: Filter = EVERYTHING) -> list[str]:
        """See `Store`."""
        return self._read(lambda connection, found: search.named(connection, found.tables, texts, where))

    def records(self, keys: Sequence[str]) -> list[StoredLabel]:
        """See `Store`."""
        found = dict(self._read(lambda connection, found: search.records(connection, found.tables, keys)))
        return [self._unpacked(key, found[token(key)]) for key in keys if token(key) in found]

    def _unpacked(self, key: str, content: bytes) -> StoredLabel:
        try:
            record = StoredLabel.unpack(content)
            if record.key != key:
                raise ValueError(f"it is that of {record.key!r}")
        except ValueError as error:
            raise self._damaged(f"the record of {key!r}", error) from error
        return record

    def _damaged(self, what: str, error: ValueError) -> StoreError:
        return StoreError(
            f"{what} in {self._address.shown!r} is damaged, or of another version of this program ({error}); it must "
            "be as build-vectors wrote it; build the store anew"
        )

    def count(self) -> Counts:
        """See `Store`."""
        return self._read(lambda _, found: lambda: Counts(found.labels, found.phrases))

    def put(self, records: Sequence[StoredLabel], manifest: Manifest, revision: str) -> None:
        """See `Store`."""
        self._change(lambda connection, tables: writing.write(connection, tables, records), manifest, revision)

    def remove(self, keys: Sequence[str], manifest: Manifest, revision: str) -> None:
        """See `Store`."""
        self._change(lambda connection, tables: writing.remove(connection, tables, keys), manifest, revision)

    def _change(self, action: Callable[[Connection, Tables], None], manifest: Manifest, revision: str) -> None:
        """Change the published version in one transaction, in which no other writer can."""
        packed = manifest.pack()

        def change(connection: Connection) -> None:
            found = versions.published(connection, self._address, alone=True)
            if found.revision != revision:
                raise changed_meanwhile(self._address.shown)
            action(connection, found.tables)
            versions.save(connection, found.tables, packed)

        self._connections.run(change, self._patience.write)

    def stored(self, version: str) -> Mapping[str, str]:
        """See `Store`."""

        def read(connection: Connection) -> list[tuple[Any, ...]]:
            tables = versions.building(connection, self._address, version)
            asked = tables and tables.statement("select key, fingerprint from {labels}")
            return connection.execute(asked).fetchall() if asked else []

        return {read_back(key): found for key, found in self._connections.run(read, self._patience.write)}

    def write(self, version: str, records: Sequence[StoredLabel]) -> None:
        """See `Store`."""
        if not records:
            return

        def change(connection: Connection) -> None:
            ensure(connection, self._address)
            tables = versions.begin(connection, self._address, version, records[0].blocks.width)
            writing.write(connection, tables, records)

        self._connections.run(change, self._patience.write)

    def publish(self, version: str, manifest: Manifest) -> None:
        """See `Store`.

        The index is built before the switch, so that readers wait for nothing. The version that was published remains
        as the previous one; that before it is dropped.
        """
        packed = manifest.pack()

        def index(connection: Connection) -> None:
            create_indexes(connection, self._built(connection, version))

        def switch(connection: Connection) -> None:
            versions.publish(connection, self._built(connection, version), packed)

        self._connections.run(index, self._patience.index)
        self._connections.run(switch, self._patience.write)
        self._drop_abandoned()

    def _built(self, connection: Connection, version: str) -> Tables:
        tables = versions.building(connection, self._address, version)
        if not tables:
            raise StoreError(
                f"version {version!r} is not in {self._address.shown!r}; it must be written before it is published; "
                f"run `agent-capabilities build-vectors --catalog FILE --store {self._address.shown}`"
            )
        return tables

    def _drop_abandoned(self) -> None:
        """Drop what no longer counts; what somebody still reads is dropped after the next publishing."""
        found = self._connections.run(lambda each: versions.abandoned(each, self._address), self._patience.read)
        for tables in found:

            def gone(connection: Connection, tables: Tables = tables) -> None:
                drop(connection, tables)

            with suppress(StoreAwayError):
                self._connections.run(gone, self._patience.write)

    def verify(self) -> list[str]:
        """See `Store`."""
        expected = self.manifest().statistics.labels

        def read(connection: Connection) -> list[str]:
            return [*problems(connection, versions.published(connection, self._address), expected)]

        return self._connections.run(read, self._patience.index)

    def close(self) -> None:
        """See `Store`."""
        self._connections.close()

    def _read(self, ask: Callable[[Connection, Published], Callable[[], Result]]) -> Result:
        """Ask something of the published version.

        Args:
            ask: sends statements, and returns what fetches their results. The version that was published last is asked
                in the same way to the server that tells whether it still is; otherwise, the one that is now.
        """

        def read(connection: Connection) -> Result:
            known, self._known = self._known, None  # After an error, it is asked anew.
            fetch = ask(connection, known) if known else None
            found = versions.published(connection, self._address, sure=known is not None)
            if fetch is None or known != found:
                fetch = ask(connection, found)
            answer = fetch()
            self._known = found
            return answer

        return self._connections.run(read, self._patience.read, together=True)
