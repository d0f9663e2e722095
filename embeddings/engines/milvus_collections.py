"""The collections of a store: what they are named, and how they are made.

Each version has four of its own, so that dropping a version gives its space back at once.
"""

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from embeddings.engines.milvus_connection import Connection, pymilvus
from embeddings.engines.milvus_rows import MAX_TAGS
from embeddings.errors import StoreAwayError, StoreError

MAX_EXACT: Final = 20_000
"""Phrases up to which all are compared; of more, a graph finds nearly all of the nearest."""

_TYPE: Final = pymilvus.DataType
_TOKEN: Final[dict[str, Any]] = {"datatype": _TYPE.VARCHAR, "max_length": 200}
_LONG: Final[dict[str, Any]] = {"datatype": _TYPE.VARCHAR, "max_length": 65_535}
_NUMBER: Final[dict[str, Any]] = {"datatype": _TYPE.INT64}
_NONE: Final[dict[str, Any]] = {"datatype": _TYPE.FLOAT_VECTOR, "dim": 2}
_TAGS: Final[dict[str, Any]] = {
    "datatype": _TYPE.ARRAY,
    "element_type": _TYPE.VARCHAR,
    "max_length": 200,
    "max_capacity": MAX_TAGS,
}
_FACETS: Final = {"tenant": _TOKEN, "language": _TOKEN, "tags": _TAGS}

_LABELS: Final = {
    "token": _TOKEN,
    "key": _LONG,
    "edition": _NUMBER,
    "fingerprint": _TOKEN,
    **_FACETS,
    **dict.fromkeys(("size", "names", "parts"), _NUMBER),
    "record": _LONG,
    "none": _NONE,
}
_PARTS: Final = {"id": _NUMBER, "content": _LONG, "none": _NONE}
_NAMES: Final = {"id": _NUMBER, "edition": _NUMBER, "name": _TOKEN, "none": _NONE}
_STATE: Final = {"id": _TOKEN, "content": _LONG, "none": _NONE}


@dataclass(frozen=True)
class Version:
    """The collections of a version; `name` begins their names."""

    name: str

    @property
    def labels(self) -> str:
        """One row for each label."""
        return f"{self.name}_labels"

    @property
    def phrases(self) -> str:
        """One row for each phrase of a label."""
        return f"{self.name}_phrases"

    @property
    def names(self) -> str:
        """One row for each name, alias and id of a label."""
        return f"{self.name}_names"

    @property
    def parts(self) -> str:
        """Collection of manifests, and of the parts of records that do not fit into one row."""
        return f"{self.name}_parts"


def slots(prefix: str, version: str) -> list[Version]:
    """Return where a version can be: it can be built while it is published, and was published before."""
    short = hashlib.sha256(version.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return [Version(f"{prefix}_{short}_{slot}") for slot in "abc"]


def create_state(connection: Connection, name: str) -> None:
    """Make the collection that says what is published, unless it is there."""
    if not connection.exists(name):
        _create(connection, name, _STATE)
        _load(connection, name, ())


def create_version(connection: Connection, version: Version, width: int) -> None:
    """Make the collections of a version, and what is missing of them after an interruption; the last is the labels'."""
    if connection.exists(version.labels) and "none" in connection.run("list_indexes", version.labels):
        return
    vectors = {"datatype": _TYPE.FLOAT_VECTOR, "dim": max(2, width)}
    # Its vectors are indexed when all are there.
    _create(connection, version.phrases, {"id": _NUMBER, "edition": _NUMBER, **_FACETS, "vector": vectors})
    for name, fields, indexed in (
        (version.parts, _PARTS, ()),
        (version.names, _NAMES, ("name",)),
        (version.labels, _LABELS, ("edition", "tenant", "language")),
    ):
        _create(connection, name, fields)
        _load(connection, name, indexed)


def finish(connection: Connection, version: Version) -> str:
    """Index the phrases of a version and load them; far quicker after the rows were written than before.

    Returns:
        the kind of index.
    """
    for name in (version.phrases, version.parts, version.names, version.labels):
        connection.run("flush", name)
    kind = "FLAT" if _phrases(connection, version) <= MAX_EXACT else "HNSW"
    with suppress(StoreError):  # Milvus Lite has no index for arrays.
        _index(connection, version.phrases, "tags", "INVERTED")
    for field in ("tenant", "language"):
        _index(connection, version.phrases, field, "INVERTED")
    built = {"params": {"M": 16, "efConstruction": 128}} if kind == "HNSW" else {}
    _index(connection, version.phrases, "vector", kind, wait=True, metric_type="IP", **built)
    connection.run("load_collection", version.phrases)
    return kind


def _phrases(connection: Connection, version: Version) -> int:
    """Return how many phrases there are about; the collection is not loaded, and cannot be asked."""
    return int(connection.run("get_collection_stats", version.phrases)["row_count"])


def drop(connection: Connection, version: Version) -> None:
    """Drop the collections of a version."""
    for name in (version.labels, version.phrases, version.names, version.parts):
        if connection.exists(name):
            connection.run("drop_collection", name)


def _create(connection: Connection, name: str, fields: dict[str, dict[str, Any]]) -> None:
    """Make a collection whose first field is the primary key, unless it is there."""
    if connection.exists(name):
        return
    schema = pymilvus.MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
    for place, (field, described) in enumerate(fields.items()):
        schema.add_field(field, is_primary=place == 0, **described)
    try:
        connection.run("create_collection", name, schema=schema, consistency_level="Strong")
    except StoreAwayError:
        raise
    except StoreError:
        if not connection.exists(name):  # Otherwise another worker of the same build was quicker.
            raise


def _load(connection: Connection, name: str, indexed: Sequence[str]) -> None:
    """Index fields of a collection without vectors of its own, and load it."""
    for field in indexed:
        _index(connection, name, field, "INVERTED")
    _index(connection, name, "none", "FLAT", metric_type="IP")
    connection.run("load_collection", name)


def _index(connection: Connection, name: str, field: str, kind: str, *, wait: bool = False, **more: Any) -> None:
    indexes = connection.params()
    indexes.add_index(field, index_type=kind, **more)
    # The client would look every half second whether it is there.
    connection.run("create_index", name, index_params=indexes, sync=wait)
