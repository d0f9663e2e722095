"""What is wrong with a version, in sentences."""

from collections.abc import Iterator
from typing import Final, LiteralString

from embeddings.index.stores.postgres.connections import Connection
from embeddings.index.stores.postgres.schema import Tables, read_back
from embeddings.index.stores.postgres.versions import Published
from embeddings.index.stores.record import StoredLabel

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
