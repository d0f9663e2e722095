"""The versions of a store: the published one, those being built, and the switch from one to the next."""

from dataclasses import dataclass
from typing import Final, LiteralString

from psycopg import sql

from embeddings.engines.postgres_address import Address
from embeddings.engines.postgres_connections import Connection
from embeddings.engines.postgres_schema import FORMAT, Tables, create_version, token
from embeddings.errors import StoreEmptyError, StoreError

_PUBLISHED: Final[LiteralString] = """
select number, width, labels, phrases, format, revision::text from {schema}.versions cross join {schema}.state
where status = 'published'
"""

_BUILDING: Final[LiteralString] = """
select number, width, phrases from {schema}.versions where version = %s and status = 'building'
"""

_BEGIN: Final[LiteralString] = """
insert into {schema}.versions (version, status, width) values (%s, 'building', %s)
on conflict (version) where status = 'building' do nothing returning number
"""

_ABANDONED: Final[LiteralString] = """
select number from {schema}.versions
where status = 'old' or (status = 'building' and since < now() - interval '7 days')
"""

_CHANGED: Final[LiteralString] = "update {schema}.state set revision = gen_random_uuid()"


@dataclass(frozen=True)
class Published:
    """The published version.

    Attributes:
        tables: where it is.
        width: numbers in a vector.
        labels: how many there are.
        phrases: how many phrases there are.
        revision: see `Store.revision`.
    """

    tables: Tables
    width: int
    labels: int
    phrases: int
    revision: str


def published(connection: Connection, address: Address, *, alone: bool = False, sure: bool = False) -> Published:
    """Return the published version.

    Args:
        connection: within a transaction.
        address: names the schema.
        alone: let others that ask so wait until the end of the transaction.
        sure: the schema was there a moment ago.

    Raises:
        StoreError: there is none, or another version of this program wrote it.
    """
    schema = sql.Identifier(address.schema)
    there = sure or _exists(connection, f"{address.schema}.state")
    if there and alone:
        connection.execute(sql.SQL("select 1 from {}.state for update").format(schema))
    row = connection.execute(sql.SQL(_PUBLISHED).format(schema=schema)).fetchone() if there else None
    if not row:
        raise StoreEmptyError(
            f"no labels in {address.shown!r}; a catalog must be embedded before it is used; run `agent-capabilities "
            f"build-vectors --catalog FILE --store {address.shown}`"
        )
    number, width, labels, phrases, format_, revision = row
    if format_ != FORMAT:
        raise StoreError(
            f"{address.shown!r} has tables of format {format_}; this version of the program reads format {FORMAT}; "
            "build the store anew in another schema"
        )
    return Published(Tables(address.schema, number), width, labels, phrases, revision)


def _exists(connection: Connection, name: str) -> bool:
    found = connection.execute("select to_regclass(%s)::text", (name,)).fetchone()
    return found is not None and found[0] is not None


def building(connection: Connection, address: Address, version: str, *, alone: bool = False) -> Tables | None:
    """Return the tables of a version that is being built.

    None if there is no such build. `alone`: as in `published`.
    """
    if not _exists(connection, f"{address.schema}.versions"):
        return None
    schema = sql.Identifier(address.schema)
    asked = sql.SQL(_BUILDING).format(schema=schema) + sql.SQL(" for update" if alone else "")
    row = connection.execute(asked, (token(version),)).fetchone()
    return Tables(address.schema, row[0]) if row else None


def begin(connection: Connection, address: Address, version: str, width: int) -> Tables:
    """Return the tables of a version that is being built, made if they are not there; other writers of it wait."""
    if tables := building(connection, address, version, alone=True):
        return tables
    schema = sql.Identifier(address.schema)
    row = connection.execute(sql.SQL(_BEGIN).format(schema=schema), (token(version), width)).fetchone()
    if row:
        create_version(connection, Tables(address.schema, row[0]), width)
    tables = building(connection, address, version, alone=True)
    if not tables:
        raise StoreError(
            f"version {version!r} in {address.shown!r} was published while it was written; one build of a version runs "
            "at a time; start the build again"
        )
    return tables


def publish(connection: Connection, tables: Tables, manifest: bytes) -> None:
    """Make a version the published one. Readers see all of it, or nothing, because it is one transaction."""
    number = sql.Literal(tables.number)
    # Two can publish at once; the second waits here for the first.
    connection.execute(tables.statement("select 1 from {schema}.state for update"))
    for text in _SWITCH:
        connection.execute(tables.statement(text, number=number))
    save(connection, tables, manifest)


_SWITCH: Final[tuple[LiteralString, ...]] = (
    # What was published before the previous one is dropped after the switch.
    "update {schema}.versions set status = 'old' where status = 'previous'",
    "update {schema}.versions set status = 'previous', since = now() where status = 'published'",
    "update {schema}.versions set status = 'published', since = now() where number = {number}",
)


def save(connection: Connection, tables: Tables, manifest: bytes) -> None:
    """Store the manifest of a version, and give the store a new revision."""
    text: LiteralString = "update {schema}.versions set manifest = %b where number = {number}"
    connection.execute(tables.statement(text, number=sql.Literal(tables.number)), (manifest,))
    connection.execute(tables.statement(_CHANGED))


def manifest(connection: Connection, tables: Tables) -> bytes:
    """Return the manifest of a version."""
    asked = tables.statement(
        "select manifest from {schema}.versions where number = {number}", number=sql.Literal(tables.number)
    )
    row = connection.execute(asked, binary=True).fetchone()
    return row[0] if row and row[0] else b""


def abandoned(connection: Connection, address: Address) -> list[Tables]:
    """Return the tables of versions before the previous one, and of builds that nobody wrote to for a week."""
    asked = sql.SQL(_ABANDONED).format(schema=sql.Identifier(address.schema))
    return [Tables(address.schema, number) for (number,) in connection.execute(asked).fetchall()]
