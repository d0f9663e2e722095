"""Records read from the collections of a version, and what is wrong with them."""

from collections.abc import Iterator, Sequence
from typing import Final

from embeddings.errors import StoreError
from embeddings.index.stores.milvus.connection import Connection, Row
from embeddings.index.stores.milvus.rows import content_of, id_of, key_of, texts_in, token
from embeddings.index.stores.milvus.state import Published, parts
from embeddings.index.stores.record import StoredLabel

_AT_ONCE: Final = 100
_FIELDS: Final = ["token", "key", "edition", "fingerprint", "size", "parts", "record"]


def records(connection: Connection, found: Published, keys: Sequence[str], consistency: str) -> list[StoredLabel]:
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
    """What to raise for bytes that are not as they were written."""
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
