"""The published version: one row, so that the switch from one version to the next is one step."""

import json
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from embeddings.engines.milvus_collections import Version, create_state, drop, slots
from embeddings.engines.milvus_connection import Connection, GoneError
from embeddings.engines.milvus_rows import content_of, edition_of, id_of, part_rows, parts_of
from embeddings.errors import StoreAwayError, StoreEmptyError, StoreError

FORMAT: Final = 1

_PUBLISHED: Final = "published"
_BUILD: Final = "build "
_CLAIM: Final = "claim"
_LONGEST_BUILD: Final = 7 * 86_400
"""Seconds after which a build that was never published is dropped."""


@dataclass(frozen=True)
class Published:
    """The published version.

    Attributes:
        version: where it is.
        previous: name of the version before it; empty if there was none.
        index: kind of the index of its phrases.
        manifest: edition of its manifest.
        parts: in how many rows the manifest is.
        revision: see `Store.revision`.
    """

    version: Version
    previous: str
    index: str
    manifest: int = 0
    parts: int = 0
    revision: str = ""

    def pack(self) -> str:
        """As JSON."""
        return json.dumps({**vars(self), "version": self.version.name, "format": FORMAT})

    @classmethod
    def unpack(cls, content: str) -> Self:
        """Return what `pack` wrote."""
        value: dict[str, Any] = json.loads(content)
        if value.pop("format") != FORMAT:
            raise ValueError("the format is not known")
        return cls(**{**value, "version": Version(value["version"])})


def published(connection: Connection) -> Published:
    """Return the published version.

    Raises:
        StoreError: there is none, or another version of this program wrote it.
    """
    shown = connection.address.shown
    with suppress(GoneError):
        rows = connection.query(_state(connection), ids=[_PUBLISHED], output_fields=["content"])
        if rows:
            try:
                return Published.unpack(rows[0]["content"])
            except (ValueError, TypeError, KeyError) as error:
                raise StoreError(
                    f"{shown!r} is damaged, or of another version of this program ({error}); this one reads format "
                    f"{FORMAT}; build the store anew with another prefix"
                ) from error
    raise StoreEmptyError(
        f"no labels in {shown!r}; a catalog must be embedded before it is used; run `agent-capabilities build-vectors "
        f"--catalog FILE --store {shown}`"
    )


def building(connection: Connection, version: str) -> Version:
    """Return where a version is built, or would be: the first place where nothing is published."""
    taken = {""}
    with suppress(GoneError):
        for row in connection.query(_state(connection), ids=[_PUBLISHED], output_fields=["content"]):
            found = Published.unpack(row["content"])
            taken = {found.version.name, found.previous}
    return next(slot for slot in slots(connection.address.prefix, version) if slot.name not in taken)


def begin(connection: Connection, version: Version) -> None:
    """Note that a build has begun, unless it was noted."""
    create_state(connection, _state(connection))
    name = f"{_BUILD}{version.name}"
    if not connection.query(_state(connection), ids=[name], output_fields=["id"]):
        _write(connection, name, str(int(time.time())))


def claim(connection: Connection, name: str) -> set[str]:
    """Note that a process wants to change what is published, and return the names of the others that do.

    Of two that do this at once, at least one sees the other: each writes before it reads, and reads what was written.
    """
    _write(connection, name, _CLAIM)
    return claims(connection) - {name}


def claims(connection: Connection) -> set[str]:
    """Return the names of the processes that want to change what is published."""
    asked = f'content == "{_CLAIM}"'
    rows = connection.query(_state(connection), filter=asked, output_fields=["id"], consistency_level="Strong")
    return {row["id"] for row in rows}


def release(connection: Connection, name: str) -> None:
    """Take back what `claim` noted."""
    connection.delete(_state(connection), [name])


def save(connection: Connection, found: Published, manifest: bytes) -> Published:
    """Store a manifest and give the store a new revision, in which it is published; the old manifest is dropped."""
    revision = secrets.token_hex(8)
    parts = parts_of(manifest)
    edition = edition_of(manifest, revision.encode())
    rows = part_rows(edition, parts)
    connection.upsert(found.version.parts, rows, lambda row: len(row["content"]))
    now = replace(found, manifest=edition, parts=len(parts), revision=revision)
    _write(connection, _PUBLISHED, now.pack())
    connection.delete(found.version.parts, [id_of(found.manifest, place) for place in range(found.parts)])
    return now


def manifest(connection: Connection, found: Published) -> bytes:
    """Return the manifest of a version.

    Raises:
        ValueError: parts of it are missing or damaged.
    """
    return content_of(parts(connection, found.version, [id_of(found.manifest, place) for place in range(found.parts)]))


def parts(connection: Connection, version: Version, ids: list[int]) -> list[str]:
    """Return the contents of rows among the parts, in this order.

    Raises:
        ValueError: one is not there.
    """
    rows: dict[int, str] = {}
    for start in range(0, len(ids), 100):
        given = {"ids": ids[start : start + 100], "output_fields": ["id", "content"], "consistency_level": "Strong"}
        for row in connection.query(version.parts, connection.patience.write, **given):
            rows[row["id"]] = row["content"]
    if len(rows) != len({*ids}):
        raise ValueError(f"{len(ids) - len(rows)} parts of it are missing")
    return [rows[each] for each in ids]


def clean(connection: Connection, found: Published, before: str) -> None:
    """Drop the version before the previous one, and builds of long ago."""
    kept = {found.version.name, found.previous}
    if before and before not in kept:
        drop(connection, Version(before))
    connection.delete(_state(connection), [f"{_BUILD}{found.version.name}"])
    for row in list(connection.scan(_state(connection), ["id", "content"], 1000)):
        name = str(row["id"]).removeprefix(_BUILD)
        if (
            row["id"] == _PUBLISHED
            or row["content"] == _CLAIM
            or name in kept
            or time.time() - float(row["content"]) < _LONGEST_BUILD
        ):
            continue
        with suppress(StoreAwayError):
            drop(connection, Version(name))
            connection.delete(_state(connection), [row["id"]])


def _state(connection: Connection) -> str:
    return f"{connection.address.prefix}_state"


def _write(connection: Connection, name: str, content: str) -> None:
    connection.upsert(_state(connection), [{"id": name, "content": content, "none": [0.0, 0.0]}])
