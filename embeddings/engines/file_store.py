"""Writes the file of a published version."""

import json
import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from embeddings.arrays import ByteArray, FloatArray, IntArray, require
from embeddings.engines import file_log, file_sections
from embeddings.engines.file_base import Base, coarse, hashed, rows_of
from embeddings.engines.file_sections import Section
from embeddings.errors import StoreEmptyError, StoreError
from embeddings.files import Buffer, write_atomically
from embeddings.index.vector_product import Blocks
from embeddings.stores import arrays_blob
from embeddings.stores.manifest import Manifest
from embeddings.stores.record import StoredLabel, key_in
from embeddings.stores.store import EVERYTHING, Counts, Filter, changed_meanwhile

_FACETS: Final = ("tenant", "language", "tags")


class _Gathered:
    """The contents of a file, gathered label by label, so that their records need not be in memory together."""

    def __init__(self) -> None:
        self.layout: tuple[int, ...] = ()
        self.rows: list[ByteArray] = []
        self.coarse: list[Blocks] = []
        self.packed: list[bytes] = []
        self.keys: list[bytes] = []
        self.names: list[tuple[int, int]] = []
        self.facets: dict[str, dict[str, Any]] = {}

    def add(self, record: StoredLabel) -> None:
        """Add a label; they come in the order of their keys."""
        place = len(self.keys)
        self.rows.append(rows_of(record.blocks))
        self.coarse.append(coarse(record.blocks.restore()))
        self.layout = (*record.blocks.values.shape[1:], self.coarse[-1].values.shape[1])
        self.packed.append(record.pack(vectors=False))
        self.keys.append(record.key.encode())
        self.names.extend((hashed(text), place) for text in record.named)
        facets = {name: record.label.metadata[name] for name in _FACETS if name in record.label.metadata}
        if facets:
            self.facets[str(place)] = facets


def written(records: Iterable[StoredLabel], manifest: Manifest) -> Iterator[Buffer]:
    """Yield the contents of a version's file, part by part.

    Args:
        records: the labels, at least one, in the order of their keys; each is used before the next one is asked for.
        manifest: of the version.
    """
    found = _Gathered()
    for record in records:
        found.add(record)
    sizes = [len(rows) for rows in found.rows]
    names = sorted(found.names)
    hashes = sorted((hashed(key.decode()), row) for row, key in enumerate(found.keys))
    offsets = _ends([len(each) for each in found.packed])
    arrays: dict[str, npt.NDArray[Any] | Section] = {
        "manifest": np.frombuffer(manifest.pack(), dtype=np.uint8),
        "layout": np.array(found.layout, dtype=np.int64),
        "coarse_values": np.concatenate([each.values for each in found.coarse]),
        "coarse_scales": np.concatenate([each.scales for each in found.coarse]),
        "starts": _ends(sizes),
        "names": np.array([each for each, _ in names], dtype=np.uint64),
        "named": np.array([row for _, row in names], dtype=np.uint32),
        "key_hashes": np.array([each for each, _ in hashes], dtype=np.uint64),
        "key_rows": np.array([row for _, row in hashes], dtype=np.uint32),
        "key_ends": _ends([len(key) for key in found.keys]),
        "keys": np.frombuffer(b"".join(found.keys), dtype=np.uint8),
        "facets": np.frombuffer(json.dumps(found.facets, sort_keys=True).encode(), dtype=np.uint8),
        "offsets": offsets,
        "vectors": Section("|u1", (sum(sizes), found.rows[0].shape[1]), found.rows),
        "records": Section("|u1", (int(offsets[-1]),), found.packed),
    }
    return file_sections.written(arrays)


def _ends(sizes: list[int]) -> IntArray:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)


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

    def put(self, records: Sequence[StoredLabel], manifest: Manifest) -> Self:
        """Return the changes with some more labels put."""
        return type(self)(self.version, manifest, {**self.records, **{record.key: record for record in records}})

    def remove(self, keys: Sequence[str], manifest: Manifest) -> Self:
        """Return the changes with some more labels removed."""
        return type(self)(self.version, manifest, {**self.records, **dict.fromkeys(keys)})

    def write(self, path: Path) -> None:
        """Write them, atomically.

        Raises:
            OSError: the folder cannot be written, or is full.
        """
        packed = {key: record.pack() for key, record in self.records.items() if record}
        arrays = {f"record {place}": np.frombuffer(content, np.uint8) for place, content in enumerate(packed.values())}
        if self.manifest:
            arrays["manifest"] = np.frombuffer(self.manifest.pack(), np.uint8)
        gone = [key for key, record in self.records.items() if record is None]
        write_atomically(path, arrays_blob.pack({"version": self.version, "put": [*packed], "gone": gone}, arrays))

    @classmethod
    def read(cls, path: Path, version: str) -> Self:
        """Read the changes of a version; none if there is no file, or it is of another version.

        Raises:
            ValueError: the file is damaged.
            OSError: it cannot be read.
        """
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return cls(version)
        value, arrays = arrays_blob.unpack(content)
        require(isinstance(value, dict) and {"version", "put", "gone"} <= value.keys(), "the changes say what they are")
        if value["version"] != version:
            return cls(version)
        found: dict[str, StoredLabel | None] = dict.fromkeys(value["gone"])
        for place, key in enumerate(value["put"]):
            found[key] = StoredLabel.unpack(arrays[f"record {place}"].tobytes())
        return cls(version, Manifest.unpack(arrays["manifest"].tobytes()) if "manifest" in arrays else None, found)


PATIENCE: Final = 30.0
"""Seconds to wait for another writer."""

_PAUSE: Final = 0.05


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock, which the system lets go when the process ends, however it ends.

    Raises:
        StoreError: another process holds it for longer than `PATIENCE`.
        OSError: the file cannot be made.
    """
    # Imported here because readers need no lock.
    from filelock import FileLock, Timeout

    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        held = FileLock(path).acquire(PATIENCE, _PAUSE)
    except Timeout as error:
        raise StoreError(
            f"{str(path)!r} is held by another process for over {PATIENCE:.0f} s; one process writes a store at a "
            "time; wait until it is done, or end it"
        ) from error
    with held:
        yield


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
        self._lock_path = path.with_name(f"{path.name}.lock")
        self._reading = threading.Lock()
        self._known: _State | None = None
        self._logged: dict[Path, int] = {}

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
            row = state.base.row(key)
            labels += (record is not None) - (row is not None)
            phrases += len(record.phrases) if record else 0
            phrases -= state.base.size(row) if row is not None else 0
        return Counts(labels, phrases)

    def put(self, records: Sequence[StoredLabel], manifest: Manifest, revision: str) -> None:
        """See `Store`."""
        with self._writing():
            self._save(self._unchanged(revision).changes.put(records, manifest))

    def remove(self, keys: Sequence[str], manifest: Manifest, revision: str) -> None:
        """See `Store`."""
        with self._writing():
            self._save(self._unchanged(revision).changes.remove(keys, manifest))

    def _save(self, changes: Changes) -> None:
        changes.write(self._changes_path)
        # The system's own stamp is some milliseconds coarse, and two changes within one would have one revision.
        now = time.time_ns()
        os.utime(self._changes_path, ns=(now, now))

    def _unchanged(self, revision: str) -> _State:
        """Return the current state if it is still the one that the caller read."""
        state = self._state()
        if state.revision != revision:
            raise changed_meanwhile(str(self._path))
        return state

    def stored(self, version: str) -> Mapping[str, str]:
        """See `Store`."""
        with self._telling("read"):
            found = (StoredLabel.unpack(entry) for entry in file_log.entries(self._log(version)))
            return {record.key: record.fingerprint for record in found}

    def write(self, version: str, records: Sequence[StoredLabel]) -> None:
        """See `Store`."""
        with self._writing():
            path = self._log(version)
            known = self._logged.get(path, 0)
            # Another process may have published it meanwhile.
            known = known if path.exists() and path.stat().st_size >= known else 0
            self._logged[path] = file_log.append(path, (record.pack() for record in records), known)

    def publish(self, version: str, manifest: Manifest) -> None:
        """See `Store`."""
        with self._writing():
            found = self._log(version)
            places = {key_in(entry): place for place, entry in file_log.placed(found)}
            ordered = map(StoredLabel.unpack, file_log.at(found, [places[key] for key in sorted(places)]))
            write_atomically(self._path, written(ordered, manifest))
            for path in (self._changes_path, self._log(version)):
                path.unlink(missing_ok=True)
            self._logged.pop(self._log(version), None)

    def verify(self) -> list[str]:
        """See `Store`."""
        state = self._state()
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

    def _log(self, version: str) -> Path:
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
                published = known.base if known and known.stamp == stamp else Base.read(self._path)
                changes = Changes.read(self._changes_path, published.identity)
                self._known = _State(revision, stamp, published, changes)
            return self._known

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._telling("written"), locked(self._lock_path):
            yield

    @contextmanager
    def _telling(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreError(
                f"{str(self._path)!r} cannot be {what} ({error.strerror or error}); it and the files beside it "
                f"must be {'readable' if what == 'read' else 'writable, the disk not full'}; fix that, or name "
                "another file"
            ) from error
        except ValueError as error:
            raise StoreError(
                f"{str(self._path)!r} is damaged, or of another version of this program ({error}); it must be as "
                "build-vectors wrote it; build it anew"
            ) from error


def _stamp(path: Path) -> str:
    try:
        found = path.stat()
    except FileNotFoundError:
        return "-"
    return f"{found.st_ino}-{found.st_size}-{found.st_mtime_ns}"
