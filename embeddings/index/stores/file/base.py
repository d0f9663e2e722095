"""The labels of a published version in one file, of which a process keeps little in memory."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from embeddings.arrays import BoolArray, FloatArray, IntArray
from embeddings.checks import require
from embeddings.files import Buffer
from embeddings.index.quantization import ZERO_POINT, Blocks
from embeddings.index.stores.file import sections
from embeddings.index.stores.file.sign_bits import nearest_rows, signs
from embeddings.index.stores.manifest import Manifest
from embeddings.index.stores.record import StoredLabel
from embeddings.index.stores.store import EVERYTHING, Filter

COMPARED: Final = 4096
"""Phrases that the first pass, over signs alone, leaves to be compared exactly. Of 1,000,000 real phrases spread by
noise, 256 numbers each, it leaves the nearest for all of 300 queries, and so does a pass that leaves 2,000."""

_FACETS: Final = ("tenant", "language", "tags")


class Base:
    """A published version. Safe to share between threads."""

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Use the arrays that `written` wrote."""
        self._arrays = arrays
        content = arrays["manifest"].tobytes()
        self.identity = hashlib.blake2b(content, digest_size=16).hexdigest()
        self.manifest = Manifest.unpack(content)
        self._codes = np.ascontiguousarray(arrays["codes"])
        self.labels, self.phrases = len(arrays["offsets"]) - 1, len(arrays["owners"])
        require(len(arrays["starts"]) == self.labels + 1 and len(self._codes) == self.phrases, "the arrays fit")

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file.

        Raises:
            ValueError: it is damaged, or no such file.
            OSError: it cannot be read.
        """
        return cls(sections.read(path))

    def nearest(self, vector: FloatArray, count: int, where: Filter = EVERYTHING) -> list[tuple[str, float]]:
        """Keys of the labels with the nearest phrases, each with its cosine, nearest first; `count` at most."""
        rows = None if where == EVERYTHING else np.flatnonzero(self._admitted(where)[self._arrays["owners"]])
        codes = self._codes if rows is None else self._codes[rows]
        found = nearest_rows(codes, signs(vector[None])[0], COMPARED)
        found = found if rows is None else rows[found]
        cosines = self._restored(found) @ vector
        order = np.argsort(-cosines, kind="stable")
        owners = self._arrays["owners"][found[order]]
        _, first = np.unique(owners, return_index=True)
        best = np.sort(first)[:count]
        return [(self.key(int(owners[place])), float(cosines[order[place]])) for place in best]

    def named(self, texts: Sequence[str]) -> list[int]:
        """Rows of the labels that have one of the texts among their names; see `StoredLabel.named`."""
        hashes = np.array(sorted({_hash(text) for text in texts}), dtype=np.uint64)
        starts = np.searchsorted(self._arrays["names"], hashes, "left")
        ends = np.searchsorted(self._arrays["names"], hashes, "right")
        rows = {int(row) for start, end in zip(starts, ends, strict=True) for row in self._arrays["named"][start:end]}
        wanted = frozenset(texts)
        return [row for row in sorted(rows) if wanted & self.record(row).named]

    def row(self, key: str) -> int | None:
        """The row of a label; None if there is none."""
        place = int(np.searchsorted(self._arrays["key_hashes"], np.uint64(_hash(key))))
        while place < self.labels and self._arrays["key_hashes"][place] == np.uint64(_hash(key)):
            row = int(self._arrays["key_rows"][place])
            if self.key(row) == key:
                return row
            place += 1
        return None

    def key(self, row: int) -> str:
        """The key of a label."""
        start, end = self._arrays["key_ends"][row : row + 2]
        return self._arrays["keys"][start:end].tobytes().decode()

    def record(self, row: int) -> StoredLabel:
        """The record of a label."""
        start, end = self._arrays["offsets"][row : row + 2]
        rows = slice(*self._arrays["starts"][row : row + 2])
        blocks = Blocks(self._arrays["values"][rows], self._arrays["scales"][rows], self.manifest.whitening.shape[1])
        return StoredLabel.unpack(self._arrays["records"][start:end].tobytes(), blocks)

    def _restored(self, rows: IntArray) -> FloatArray:
        values = self._arrays["values"][rows].astype(np.float32) - np.float32(ZERO_POINT)
        values *= self._arrays["scales"][rows][:, :, None]
        numbers = values.shape[1] * values.shape[2]
        return values.reshape(len(rows), numbers)[:, : self.manifest.whitening.shape[1]]

    @lru_cache(maxsize=64)  # noqa: B019
    def _admitted(self, where: Filter) -> BoolArray:
        admitted = np.full(self.labels, where.admits({}))
        for row, facets in self._facets.items():
            admitted[int(row)] = where.admits(facets)
        return admitted

    @cached_property
    def _facets(self) -> Mapping[str, Mapping[str, Any]]:
        found: Mapping[str, Mapping[str, Any]] = json.loads(self._arrays["facets"].tobytes())
        return found

    def verify(self) -> list[str]:
        """What is wrong with the records, in sentences."""
        problems = []
        for row in range(self.labels):
            try:
                self.record(row)
            except ValueError as error:
                problems.append(f"the record of {self.key(row)!r} is damaged: {error}")
        return problems


def written(records: Sequence[StoredLabel], manifest: Manifest) -> Iterator[Buffer]:
    """What the file of a version holds, part by part; the same labels in any order give the same bytes."""
    records = sorted(records, key=lambda record: record.key)
    sizes = [len(record.phrases) for record in records]
    values = np.concatenate([record.blocks.values for record in records])
    scales = np.concatenate([record.blocks.scales for record in records])
    packed = [record.pack(vectors=False) for record in records]
    keys = [record.key.encode() for record in records]
    names = sorted((_hash(text), row) for row, record in enumerate(records) for text in record.named)
    hashes = sorted((_hash(record.key), row) for row, record in enumerate(records))
    facets = {
        str(row): {name: record.label.metadata[name] for name in _FACETS if name in record.label.metadata}
        for row, record in enumerate(records)
        if any(name in record.label.metadata for name in _FACETS)
    }
    arrays: dict[str, npt.NDArray[Any]] = {
        "manifest": np.frombuffer(manifest.pack(), dtype=np.uint8),
        "codes": _codes(values, scales, manifest.whitening.shape[1]),
        "owners": np.repeat(np.arange(len(records), dtype=np.uint32), sizes),
        "starts": _ends(sizes),
        "values": values,
        "scales": scales,
        "names": np.array([found for found, _ in names], dtype=np.uint64),
        "named": np.array([row for _, row in names], dtype=np.uint32),
        "key_hashes": np.array([found for found, _ in hashes], dtype=np.uint64),
        "key_rows": np.array([row for _, row in hashes], dtype=np.uint32),
        "key_ends": _ends([len(key) for key in keys]),
        "keys": np.frombuffer(b"".join(keys), dtype=np.uint8),
        "facets": np.frombuffer(json.dumps(facets, sort_keys=True).encode(), dtype=np.uint8),
        "offsets": _ends([len(each) for each in packed]),
        "records": np.frombuffer(b"".join(packed), dtype=np.uint8),
    }
    return sections.written(arrays)


def _codes(values: npt.NDArray[np.uint8], scales: FloatArray, width: int) -> npt.NDArray[np.uint64]:
    del scales  # They are positive, so that the sign is that of the value alone.
    return signs(values.reshape(len(values), -1)[:, :width].astype(np.float32) - np.float32(ZERO_POINT))


def _ends(sizes: Sequence[int]) -> IntArray:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
