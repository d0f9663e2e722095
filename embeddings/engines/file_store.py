"""The store in a file: the published version, a file of changes beside it, and a file of each build under way."""

import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

import numpy as np

from embeddings.arrays import FloatArray, require
from embeddings.engines.file_base import MISSHAPEN, Base, write
from embeddings.engines.file_sqlite import PATIENCE, reading, stat_of, transaction
from embeddings.errors import StoreEmptyError, StoreError
from embeddings.files import replacing
from embeddings.stores.manifest import Manifest
from embeddings.stores.record import StoredLabel
from embeddings.stores.store import EVERYTHING, Counts, Filter, changed_meanwhile


@dataclass(frozen=True)
class Changes:
    """The records put and removed.

    Attributes:
        version: the version that was changed; changes of another one no longer count.
        manifest: after the changes; None if there are none.
        records: by key, the labels that were put; None for those that were removed.
    """

    version: str
    manifest: Manifest | None = None
    records: Mapping[str, StoredLabel | None] = field(default_factory=dict)

    def write(self, database: sqlite3.Connection, changed: Mapping[str, bytes | None], manifest: Manifest) -> None:
        """Add changes in a transaction.

        Args:
            database: the file of changes.
            changed: by key, the labels that are put, packed; None for those that are removed.
            manifest: after the changes.
        """
        if self.manifest is None:  # There may be changes of another version.
            database.execute("DELETE FROM changes")
        rows = [(key, record, _sum_of(key, record)) for key, record in changed.items()]
        database.executemany("INSERT OR REPLACE INTO changes VALUES (?, ?, ?)", rows)
        content = manifest.pack()
        database.execute("DELETE FROM manifest")
        total = _total(self.version, content, database.execute("SELECT checksum FROM changes").fetchall())
        database.execute("INSERT INTO manifest VALUES (?, ?, ?)", (self.version, content, total))

    @classmethod
    def read(cls, path: Path, version: str) -> Self:
        """Read the changes of a version; none if there is no file, or it is of another version.

        Raises:
            ValueError: the file is damaged.
            OSError: it cannot be read.
        """
        with reading(path, _CHANGES) as database:
            if database is None:
                return cls(version)
            found = database.execute("SELECT version, content, checksum FROM manifest").fetchall()
            changed = database.execute("SELECT key, record, checksum FROM changes").fetchall()
        if not found and not changed:
            return cls(version)
        require(len(found) == 1, "changes have one manifest")
        ((changed_version, content, total),) = found
        intact = all(_sum_of(key, record) == checksum for key, record, checksum in changed)
        require(
            intact and total == _total(changed_version, content, [row[2:] for row in changed]), "checksums are right"
        )
        if changed_version != version:
            return cls(version)
        records = {key: record and StoredLabel.unpack(record) for key, record, _ in changed}
        return cls(version, Manifest.unpack(content), records)


_CHANGES: Final = """
CREATE TABLE IF NOT EXISTS changes (key TEXT PRIMARY KEY, record BLOB, checksum INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS manifest (version TEXT NOT NULL, content BLOB NOT NULL, checksum INTEGER NOT NULL)
"""


def _sum_of(key: str, record: bytes | None) -> int:
    """Return the checksum of one change; None removes a label."""
    return zlib.crc32(b"removed" if record is None else record, zlib.crc32(key.encode("utf-8", "surrogatepass")))


def _total(version: str, manifest: bytes, sums: Sequence[tuple[int]]) -> int:
    """Return the checksum of a manifest and of those of all changes, in any order."""
    described = f"{version} {len(sums)} {sum(each for (each,) in sums)}"
    return zlib.crc32(manifest, zlib.crc32(described.encode()))


_BUILDING: Final = """
CREATE TABLE IF NOT EXISTS records (key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, content BLOB NOT NULL)
"""


@dataclass(frozen=True)
class _State:
    """The state read at one moment; `revision` and `stamp` tell whether the files are still the same.

    Attributes:
        revision: of all files.
        stamp: of the published version's file alone.
    """

    revision: str
    stamp: str
    base: Base
    changes: Changes

    @property
    def manifest(self) -> Manifest:
        return self.changes.manifest or self.base.manifest

    def record(self, key: str) -> StoredLabel | None:
        """Return the record of a key; None if there is none."""
        if key in self.changes.records:
            return self.changes.records[key]
        row = self.base.row(key)
        return None if row is None else self.base.record(row)


class FileStore:
    """A store in one file. Processes of one machine may share it; one of them writes at a time."""

    def __init__(self, path: Path) -> None:
        """Use a file, which need not exist yet."""
        self._path = path
        self._changes_path = path.with_name(f"{path.name}.changes")
        self._reading = threading.Lock()
        self._known: _State | None = None

    def manifest(self) -> Manifest:
        """See `Store`."""
        return self._state().manifest

    def revision(self) -> str:
        """See `Store`."""
        with self._telling("read"):
            return " ".join(_stamp(path) for path in (self._path, self._changes_path))

    def nearest(self, vectors: FloatArray, labels: int, where: Filter = EVERYTHING) -> list[list[str]]:
        """See `Store`."""
        state = self._state()
        changed = state.changes.records
        with self._telling("read"):
            found = state.base.nearest(vectors, labels + len(changed), where)
        if not changed:
            return [[key for key, _ in ranked] for ranked in found]
        put = [record for record in changed.values() if record and where.admits(record.label.metadata)]
        cosines = [np.max(vectors @ record.blocks.restore().T, axis=1) for record in put]
        for place, ranked in enumerate(found):
            ranked[:] = [each for each in ranked if each[0] not in changed]
            ranked += [(record.key, float(own[place])) for record, own in zip(put, cosines, strict=True)]
            ranked.sort(key=lambda each: -each[1])
        return [[key for key, _ in ranked[:labels]] for ranked in found]

    def named(self, texts: Sequence[str], where: Filter = EVERYTHING) -> list[str]:
        """See `Store`."""
        state, wanted = self._state(), frozenset(texts)
        changed = state.changes.records
        with self._telling("read"):
            found = [record for record in state.base.named(texts) if record.key not in changed]
        found += [record for record in changed.values() if record and record.named & wanted]
        return [record.key for record in found if where.admits(record.label.metadata)]

    def records(self, keys: Sequence[str]) -> list[StoredLabel]:
        """See `Store`."""
        state = self._state()
        with self._telling("read"):
            return [record for key in keys if (record := state.record(key))]

    def count(self) -> Counts:
        """See `Store`."""
        state = self._state()
        labels, phrases = state.base.labels, state.base.phrases
        for key, record in state.changes.records.items():
            with self._telling("read"):
                row = state.base.row(key)
            labels += (record is not None) - (row is not None)
            phrases += len(record.phrases) if record else 0
            phrases -= state.base.size(row) if row is not None else 0
        return Counts(labels, phrases)

    def put(self, records: Sequence[StoredLabel], manifest: Manifest, revision: str) -> None:
        """See `Store`."""
        self._commit({record.key: record.pack() for record in records}, manifest, revision)

    def remove(self, keys: Sequence[str], manifest: Manifest, revision: str) -> None:
        """See `Store`."""
        self._commit(dict.fromkeys(keys), manifest, revision)

    def _commit(self, changed: Mapping[str, bytes | None], manifest: Manifest, revision: str) -> None:
        with self._writing() as database:
            state = self._state()
            if state.revision != revision:
                raise changed_meanwhile(str(self._path))
            state.changes.write(database, changed, manifest)
        # The system's own stamp is some milliseconds coarse, and two changes within one would have one revision.
        now = time.time_ns()
        with suppress(PermissionError):  # The file may be another user's.
            os.utime(self._changes_path, ns=(now, now))

    def stored(self, version: str) -> Mapping[str, str]:
        """See `Store`."""
        with self._telling("read"), reading(self._building(version), _BUILDING) as database:
            return dict(database.execute("SELECT key, fingerprint FROM records")) if database else {}

    def write(self, version: str, records: Sequence[StoredLabel]) -> None:
        """See `Store`."""
        rows = [(record.key, record.fingerprint, record.pack()) for record in records]
        path = self._building(version)
        with self._writing():
            try:
                with transaction(path, _BUILDING, durable=False) as building:
                    building.executemany("INSERT OR REPLACE INTO records VALUES (?, ?, ?)", rows)
            except OSError:
                _remove_if_empty(path)
                raise

    def publish(self, version: str, manifest: Manifest) -> None:
        """See `Store`."""
        with self._writing() as database:
            with reading(self._building(version), _BUILDING) as building, replacing(self._path) as temporary:
                if building is None:
                    raise ValueError(f"no label of the version {version!r} was written")
                rows = building.execute("SELECT content FROM records ORDER BY key")
                write(temporary, (StoredLabel.unpack(content) for (content,) in rows), manifest)
            database.execute("DELETE FROM changes")
            database.execute("DELETE FROM manifest")
            self._building(version).unlink(missing_ok=True)

    def verify(self) -> list[str]:
        """See `Store`."""
        state = self._state()
        with self._telling("read"):
            problems = state.base.verify()
        labels = self.count().labels
        if labels != state.manifest.statistics.labels:
            problems.append(
                f"{labels:,} labels are stored, but the manifest tells of {state.manifest.statistics.labels:,}"
            )
        return problems

    def close(self) -> None:
        """See `Store`."""
        self._known = None

    def _building(self, version: str) -> Path:
        return self._path.with_name(f"{self._path.name}.{version}.building")

    def _state(self) -> _State:
        revision = self.revision()
        with self._reading, self._telling("read"):
            if self._known is None or self._known.revision != revision:
                if not self._path.exists():
                    raise StoreEmptyError(
                        f"no labels at {str(self._path)!r}; a catalog must be embedded before it is used; run "
                        f"`agent-capabilities build-vectors --catalog FILE --store {self._path}`"
                    )
                known, stamp = self._known, _stamp(self._path)
                published = known.base if known and known.stamp == stamp else Base(self._path)
                changes = Changes.read(self._changes_path, published.identity)
                self._known = _State(revision, stamp, published, changes)
            return self._known

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Hold the file of changes, which one writer has at a time until its process ends, however it ends."""
        with self._telling("written"), transaction(self._changes_path, _CHANGES) as database:
            yield database

    @contextmanager
    def _telling(self, what: str) -> Iterator[None]:
        try:
            yield
        except BlockingIOError as error:
            raise StoreError(
                f"{str(self._path)!r} is held by another process for over {PATIENCE:.0f} s; one process writes a store "
                "at a time; wait until it is done, or end it"
            ) from error
        except OSError as error:
            raise StoreError(
                f"{str(self._path)!r} cannot be {what} ({error.strerror or error}); it and the files beside it "
                f"must be {'readable' if what == 'read' else 'writable, the disk not full'}; fix that, or name "
                "another file"
            ) from error
        except (ValueError, *MISSHAPEN) as error:
            if what == "written" and not isinstance(error, ValueError):
                raise
            raise StoreError(
                f"{str(self._path)!r} or a file beside it is damaged, or of another version of this program "
                f"({str(error) or type(error).__name__}); "
                "they must be as build-vectors wrote them; remove them, and build anew with `agent-capabilities "
                f"build-vectors --catalog FILE --store {self._path}`"
            ) from error


def _remove_if_empty(building: Path) -> None:
    """Remove the file of a build in which nothing is stored, so that a full disk leaves none behind."""
    with suppress(OSError, ValueError):
        with reading(building, _BUILDING) as database:
            stored = database is not None and database.execute("SELECT 1 FROM records").fetchone()
        if not stored:
            building.unlink(missing_ok=True)


def _stamp(path: Path) -> str:
    found = stat_of(path)
    return f"{found.st_ino}-{found.st_size}-{found.st_mtime_ns}" if found else "-"
