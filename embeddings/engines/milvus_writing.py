"""Writes records to the collections of a version.

Milvus has no transactions. Each write of a label has a new number, its edition. The label's own row, which names
the edition, is replaced last, in one step; phrases and names of other editions are ignored, and removed then.
"""

import random
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

from embeddings.engines import milvus_state
from embeddings.engines.milvus_collections import Version
from embeddings.engines.milvus_connection import Connection, Row
from embeddings.engines.milvus_rows import edition, id_of, texts_in, token
from embeddings.errors import StoreAwayError, StoreError
from embeddings.stores.record import StoredLabel
from embeddings.stores.store import changed_meanwhile

_FIELDS = ["token", "edition", "size", "names", "parts"]
_AT_ONCE = 500
_BYTES_A_NUMBER = 6

TURN: Final = 60.0
"""Seconds after which a process that wants to change what is published, and does not, is taken for dead."""

_LONGEST_PAUSE: Final = 0.25


@contextmanager
def alone(connection: Connection) -> Iterator[Callable[[], None]]:
    """Let no other process change what is published meanwhile.

    Yields:
        raises StoreChangedError if it took so long that others no longer wait.

    Raises:
        StoreAwayError: others took their turns for too long.
    """
    if connection.address.file:  # Which no other process has open.
        yield lambda: None
        return
    name = _turn(connection)

    def check() -> None:
        if name not in milvus_state.claims(connection):
            raise changed_meanwhile(connection.address.shown)

    try:
        yield check
    finally:
        with suppress(StoreError):  # If the engine is away, others wait until the claim is old.
            milvus_state.release(connection, name)


def _turn(connection: Connection) -> str:
    """Wait until nobody else has a claim; returns the name of the own one."""
    seen: dict[str, float] = {}
    end = time.monotonic() + 2 * TURN
    while True:
        # A name is claimed once, so that one that is seen for long is of a process that got its turn.
        name = secrets.token_hex(8)
        others = milvus_state.claim(connection, name)
        if not others:
            return name
        milvus_state.release(connection, name)
        now = time.monotonic()
        seen = {other: seen.get(other, now) for other in others}
        for other, since in seen.items():
            if now - since > TURN:
                milvus_state.release(connection, other)
        if now > end:
            raise StoreAwayError(
                f"{connection.address.shown!r} is busy: other processes changed it for {2 * TURN:.0f} s; a change "
                "takes less than a second if the server is well; wait, or find out what holds it up"
            )
        time.sleep(random.uniform(0, _LONGEST_PAUSE))  # noqa: S311 (so that two do not meet again)


def write(connection: Connection, version: Version, records: Sequence[StoredLabel], salt: bytes = b"") -> None:
    """Add or replace records; of two with one key, the later counts. Other writers of the process must wait."""
    latest = {record.key: record for record in records}
    made = [edition(record, salt) for record in latest.values()]
    kept = {each.label["edition"] for each in made}
    replaced = [row for row in _rows(connection, version, [*latest]) if row["edition"] not in kept]
    connection.upsert(version.parts, [row for each in made for row in each.parts], lambda row: len(row["content"]))
    connection.upsert(version.names, [row for each in made for row in each.names])
    phrases = [row for each in made for row in each.phrases]
    connection.upsert(version.phrases, phrases, lambda row: _BYTES_A_NUMBER * len(row["vector"]))
    connection.upsert(version.labels, [each.label for each in made], lambda row: len(row["record"]))
    _forget(connection, version, replaced)


def remove(connection: Connection, version: Version, keys: Sequence[str]) -> None:
    """Remove the labels of the keys; unknown ones are none."""
    found = _rows(connection, version, keys)
    connection.delete(version.labels, [row["token"] for row in found])
    _forget(connection, version, found)


def _rows(connection: Connection, version: Version, keys: Sequence[str]) -> list[Row]:
    tokens = [*{token(key): None for key in keys}]
    return [
        row
        for start in range(0, len(tokens), _AT_ONCE)
        for row in connection.query(
            version.labels,
            connection.patience.write,
            filter=texts_in("token", tokens[start : start + _AT_ONCE]),
            output_fields=_FIELDS,
            consistency_level="Strong",
        )
    ]


def _forget(connection: Connection, version: Version, labels: list[Row]) -> None:
    """Remove what belongs to editions that count no more."""
    for name, field, first in ((version.phrases, "size", 0), (version.names, "names", 0), (version.parts, "parts", 1)):
        connection.delete(name, [id_of(row["edition"], at) for row in labels for at in range(first, row[field])])
