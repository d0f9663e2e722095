"""Errors of the driver as errors of a store."""

import re
from typing import Final

import psycopg
from psycopg import errors

from embeddings.errors import StoreAwayError, StoreError
from embeddings.index.stores.postgres.address import Address

_REFUSED: Final = re.compile(
    r"authentication failed|no password supplied|does not exist|pg_hba\.conf|permission denied|SSL|certificate"
    r"|authentication method|not permitted to log in|invalid connection option|invalid .* value"
)
"""What says, in a message of a server that speaks English, that trying again will not help: before a session begins,
there is no code."""

_AWAY: Final = ("08", "57P", "57014", "55P03", "40001", "40P01", "53300")
"""How codes begin of failures that pass: connection lost, server stopping or starting, cancelled after the statement
timeout, a lock held by another, conflicts with another writer, no connection left."""

_NEXT: Final = {
    "53100": "the server's disk must have room; free some, and try again",
    "53200": "the server must have memory for the query; give it more, or lower maintenance_work_mem",
    "42501": "the user needs CREATE on the database or the schema, and its tables; grant these, or name another user",
    "0A000": "the server needs the extension pgvector 0.8 or later; install it there",
    "58P01": "the server needs the extension pgvector 0.8 or later; install it there",
    "42704": "the server needs the extension pgvector 0.8 or later; run CREATE EXTENSION vector in the database",
}


def told(error: psycopg.Error, address: Address) -> StoreError:
    """What to raise instead of an error of the driver."""
    said = address.hide(" ".join(str(error).split()))[:300]
    code = error.sqlstate or ""
    if is_away(error):
        return StoreAwayError(
            f"{address.shown!r} does not answer ({said}); the server must run and answer within some seconds; start "
            "it, or wait until it is back"
        )
    if not code:
        return StoreError(
            f"{address.shown!r} refuses the connection ({said}); user, password and database must be those of the "
            "server; correct the URI, or set PGPASSWORD"
        )
    next_step = _NEXT.get(code, "its tables must be as this version of the program writes them; build the store anew")
    return StoreError(f"{address.shown!r} refuses ({said}); {next_step}")


def is_away(error: psycopg.Error) -> bool:
    """Whether the server did not answer, so that trying again later may help."""
    if error.sqlstate:
        return error.sqlstate.startswith(_AWAY)
    if isinstance(error, errors.ConnectionTimeout):
        return True
    return isinstance(error, psycopg.OperationalError) and not _REFUSED.search(str(error))


def is_gone(error: psycopg.Error) -> bool:
    """Whether the table that was asked is not there, as if the version had been dropped a moment ago."""
    return isinstance(error, errors.UndefinedTable)
