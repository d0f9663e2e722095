"""Writes records to the tables of a version."""

from collections.abc import Sequence
from typing import Any, Final, LiteralString

import numpy as np
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from embeddings.engines.postgres_connections import Connection
from embeddings.engines.postgres_schema import Tables, readable, token
from embeddings.stores.record import StoredLabel

_LABELS: Final[LiteralString] = """
copy {labels} (number, token, key, fingerprint, names, tenant, language, tags, size, record)
from stdin with (format binary)
"""

_PHRASES: Final[LiteralString] = (
    "copy {phrases} (label, tenant, language, tags, vector) from stdin with (format binary)"
)

_NUMBERS: Final[LiteralString] = """
select nextval(pg_get_serial_sequence(%s, 'number')) from generate_series(1, %s)
"""

_DELETE: Final[LiteralString] = """
with gone as (delete from {labels} where token = any(%(tokens)s) returning number),
parts as (delete from {phrases} where label in (select number from gone) returning 1)
select (select count(*) from gone), (select count(*) from parts)
"""

_COUNT: Final[LiteralString] = """
update {schema}.versions set labels = labels + %(labels)s, phrases = phrases + %(phrases)s, since = now()
where number = %(number)s
"""

Facets = tuple[str | None, str | None, list[str]]


def write(connection: Connection, tables: Tables, records: Sequence[StoredLabel]) -> None:
    """Add or replace records; of two with one key, the later counts. Other writers of the version must wait."""
    latest = {record.key: record for record in records}
    remove(connection, tables, [*latest])
    register_vector(connection)
    name = tables.labels.as_string()
    numbers = [int(number) for (number,) in connection.execute(_NUMBERS, (name, len(latest))).fetchall()]
    numbered = list(zip(numbers, latest.values(), strict=True))
    with connection.cursor() as cursor:
        with cursor.copy(tables.statement(_LABELS)) as copy:
            copy.set_types(["int8", "text", "text", "text", "text[]", "text", "text", "text[]", "int4", "bytea"])
            for number, record in numbered:
                copy.write_row(_label_row(number, record))
        with cursor.copy(tables.statement(_PHRASES)) as copy:
            copy.set_types(["int8", "text", "text", "text[]", "halfvec"])
            for number, record in numbered:
                facets = _facets(record)
                for vector in record.blocks.restore():
                    copy.write_row((number, *facets, HalfVector(vector.astype(np.float16))))
    phrases = sum(len(record.phrases) for record in latest.values())
    _count(connection, tables, len(latest), phrases)


def remove(connection: Connection, tables: Tables, keys: Sequence[str]) -> None:
    """Remove the labels of the keys; unknown ones are none."""
    asked = {"tokens": [token(key) for key in keys]}
    labels, phrases = connection.execute(tables.statement(_DELETE), asked).fetchone() or (0, 0)
    _count(connection, tables, -labels, -phrases)


def _count(connection: Connection, tables: Tables, labels: int, phrases: int) -> None:
    values = {"labels": labels, "phrases": phrases, "number": tables.number}
    connection.execute(tables.statement(_COUNT), values)


def _label_row(number: int, record: StoredLabel) -> tuple[Any, ...]:
    return (
        number,
        token(record.key),
        readable(record.key),
        record.fingerprint,
        sorted(map(token, record.named)),
        *_facets(record),
        len(record.phrases),
        record.pack(),
    )


def _facets(record: StoredLabel) -> Facets:
    """Return what filters compare; see `Filter.admits`."""
    metadata = record.label.metadata
    tenant, language, tags = (metadata.get(name) for name in ("tenant", "language", "tags"))
    return (
        token(tenant) if isinstance(tenant, str) else None,
        token(language) if isinstance(language, str) else None,
        sorted({token(tag) for tag in tags if isinstance(tag, str)}) if isinstance(tags, list) else [],
    )
