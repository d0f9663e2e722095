"""The labels of a published version in one file, of which a process keeps little in memory."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from embeddings.arrays import BoolArray, FloatArray, IntArray
from embeddings.checks import ascending, require
from embeddings.index.quantization import Blocks
from embeddings.index.stores.file.coarse import FirstPass
from embeddings.index.stores.file.sections import SectionFile
from embeddings.index.stores.file.vector_rows import blocks_of
from embeddings.index.stores.manifest import Manifest
from embeddings.index.stores.record import StoredLabel
from embeddings.index.stores.store import EVERYTHING, Filter

_KEPT: Final = ("starts", "offsets", "names", "named", "key_hashes", "key_rows", "key_ends")


class Base:
    """A published version. Safe to share between threads.

    In memory are the vectors in 4 bits a number, the keys of the labels, hashes of keys and names, and where records
    begin. Vectors in 8 bits and records are read when they are needed.
    """

    def __init__(self, file: SectionFile) -> None:
        """Use a file that `writing.written` wrote."""
        self._file = file
        content = file.array("manifest").tobytes()
        self.identity = hashlib.blake2b(content, digest_size=16).hexdigest()
        self.manifest = Manifest.unpack(content)
        self._arrays = {name: file.array(name) for name in _KEPT}
        self._keys = file.array("keys").tobytes()
        starts, width = self._arrays["starts"], self.manifest.whitening.shape[1]
        self.labels, self.phrases = len(self._arrays["offsets"]) - 1, int(starts[-1])
        require(len(starts) == self.labels + 1 and ascending(starts, strictly=True), "each label has phrases")
        blocks, size, coarse_blocks = file.array("layout").tolist()
        self._layout = blocks, size, width
        self._first_pass = FirstPass(starts, lambda start, end: self._coarse(start, end, coarse_blocks))
        self._admitted = lru_cache(maxsize=64)(self._admitting)

    def _coarse(self, start: int, end: int, blocks: int) -> Blocks:
        values = np.frombuffer(self._file.part("coarse_values", start, end), np.uint8)
        scales = np.frombuffer(self._file.part("coarse_scales", start, end), "<f4")
        shape = (end - start, blocks)
        return Blocks(values.reshape(*shape, -1), scales.reshape(shape), self.manifest.whitening.shape[1])

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file.

        Raises:
            ValueError: it is damaged, or no such file.
            OSError: it cannot be read.
        """
        return cls(SectionFile(path))

    def nearest(self, vectors: FloatArray, count: int, where: Filter = EVERYTHING) -> list[list[tuple[str, float]]]:
        """For each vector, keys of the labels with the nearest phrases and their cosines, nearest first.

        Args:
            vectors: float32 (q, k), of unit length.
            count: most labels for each.
            where: which labels count.
        """
        rows = self._first_pass(vectors, None if where == EVERYTHING else self._admitted(where))
        if not len(rows):
            return [[] for _ in vectors]
        owners = np.searchsorted(self._arrays["starts"], rows, "right") - 1
        first = np.flatnonzero(np.append(True, owners[1:] != owners[:-1]))
        # All are compared with each vector, because what is near one reading of a phrase is near another.
        cosines = vectors @ blocks_of(self._file.rows("vectors", rows), *self._layout).restore().T
        best = np.maximum.reduceat(cosines, first, axis=1)
        nearest = np.argsort(-best, axis=1, kind="stable")[:, :count]
        return [
            [*zip(self.keys(owners[first[places]]), own[places].tolist(), strict=True)]
            for places, own in zip(nearest, best, strict=True)
        ]

    def named(self, texts: Sequence[str]) -> list[StoredLabel]:
        """The labels that have one of the texts among their names; see `StoredLabel.named`."""
        hashes = np.array(sorted({hashed(text) for text in texts}), dtype=np.uint64)
        starts = np.searchsorted(self._arrays["names"], hashes, "left")
        ends = np.searchsorted(self._arrays["names"], hashes, "right")
        rows = {
            int(row)
            for place in np.flatnonzero(starts < ends)
            for row in self._arrays["named"][starts[place] : ends[place]]
        }
        wanted = frozenset(texts)
        return [record for record in map(self.record, sorted(rows)) if wanted & record.named]

    def row(self, key: str) -> int | None:
        """The row of a label; None if there is none."""
        found = np.uint64(hashed(key))
        place = int(np.searchsorted(self._arrays["key_hashes"], found))
        while place < self.labels and self._arrays["key_hashes"][place] == found:
            row = int(self._arrays["key_rows"][place])
            if self.key(row) == key:
                return row
            place += 1
        return None

    def key(self, row: int) -> str:
        """The key of a label."""
        start, end = self._arrays["key_ends"][row : row + 2].tolist()
        return self._keys[start:end].decode()

    def keys(self, rows: IntArray) -> list[str]:
        """The keys of labels."""
        ends = self._arrays["key_ends"]
        places = zip(ends[rows].tolist(), ends[rows + 1].tolist(), strict=True)
        return [self._keys[start:end].decode() for start, end in places]

    def record(self, row: int) -> StoredLabel:
        """The record of a label."""
        start, end = self._arrays["starts"][row : row + 2].tolist()
        vectors = np.frombuffer(self._file.part("vectors", start, end), np.uint8).reshape(end - start, -1)
        start, end = self._arrays["offsets"][row : row + 2].tolist()
        return StoredLabel.unpack(self._file.part("records", start, end), blocks_of(vectors, *self._layout))

    def size(self, row: int) -> int:
        """The number of a label's phrases."""
        start, end = self._arrays["starts"][row : row + 2].tolist()
        return int(end - start)

    def _admitting(self, where: Filter) -> BoolArray:
        admitted = np.full(self.labels, where.admits({}))
        for row, facets in self._facets.items():
            admitted[int(row)] = where.admits(facets)
        return admitted

    @cached_property
    def _facets(self) -> Mapping[str, Mapping[str, Any]]:
        found: Mapping[str, Mapping[str, Any]] = json.loads(self._file.array("facets").tobytes())
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


def hashed(text: str) -> int:
    """The hash under which a name or key is found."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
