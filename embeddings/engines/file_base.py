"""The labels of a published version in one file, of which a process keeps little in memory.

The vectors in memory have 4 bits a number: a search compares a query with all of them by one ONNX operator, in half the
time of 8 bits, and then compares the nearest phrases exactly. The signs of the numbers alone (Charikar, Similarity
Estimation Techniques from Rounding Algorithms, 2002) take a quarter of the memory, but of 1,000,000 phrases they lose
the nearest label of 2.5% of 200 held-out needs, even if 4,096 phrases are compared exactly.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from embeddings.arrays import BoolArray, ByteArray, FloatArray, IntArray, ascending, require
from embeddings.engines.file_sections import SectionFile
from embeddings.index.vector_product import Blocks, VectorProduct, step_of
from embeddings.stores.manifest import Manifest
from embeddings.stores.record import StoredLabel
from embeddings.stores.store import EVERYTHING, Filter

BITS: Final = 4

COMPARED: Final = 512
"""Labels that are left to be compared exactly. Of 100,000 labels with 1,000,000 phrases, they hold the nearest one for
all of 500 held-out queries, and 99.97% of the nearest 128; 256 labels hold 99.4% of these."""

MARGIN: Final = 0.05
"""How far below the best phrase of its label another one may be to be compared as well. With 256 numbers, a product of
4 bits is off by 0.008 (one standard deviation)."""

_LEVELS: Final = 7
_ZERO: Final = 8
_BLOCK_SIZES: Final = (256, 128, 64)
_SMALLEST_BLOCK: Final = 32

_SHARD: Final = 65_536
"""Phrases of one product, so that preparing it takes little memory beside the product."""

_AT_ONCE: Final = 4
"""Texts whose products with all phrases are in memory together: 16 MB with 1,000,000 phrases."""


def coarse(vectors: FloatArray) -> Blocks:
    """Quantize vectors, float32 (n, width), to 4 bits: two numbers a byte, the first one in the lower half."""
    rows, width = vectors.shape
    size = next((size for size in _BLOCK_SIZES if width % size == 0), _SMALLEST_BLOCK)
    count = -(-width // size)
    padded = np.zeros((rows, count * size), dtype=np.float32)
    padded[:, :width] = vectors
    blocks = padded.reshape(rows, count, size)
    scales = step_of(np.abs(blocks).max(axis=2), _LEVELS)
    values = (np.rint(blocks / scales[:, :, None]) + _ZERO).astype(np.uint8)
    return Blocks(np.asarray(values[:, :, ::2] | values[:, :, 1::2] << BITS, dtype=np.uint8), scales, width)


class FirstPass:
    """Finds the labels that may have the nearest phrases. Safe to share between threads."""

    def __init__(self, starts: IntArray, part: Callable[[int, int], Blocks]) -> None:
        """Prepare the products.

        Args:
            starts: the first row of each label, ascending, and the number of rows after them.
            part: gives the rows from one number up to another; they are asked for once.
        """
        self._starts = starts
        # Shards end where a label does.
        wanted = np.arange(_SHARD, int(starts[-1]), _SHARD)
        ends = np.unique(np.append(starts[np.searchsorted(starts, wanted)], starts[-1]))
        self._products = [
            VectorProduct(part(start, end), BITS)
            for start, end in zip([0, *ends.tolist()], ends.tolist(), strict=False)
        ]

    def __call__(self, vectors: FloatArray, admitted: BoolArray | None = None) -> IntArray:
        """Return the rows that are to be compared with the vectors exactly: int64, ascending.

        Args:
            vectors: float32 (q, width).
            admitted: bool (labels,), which labels count; None for all.
        """
        found = [np.zeros(0, dtype=np.int64)]
        for first in range(0, len(vectors), _AT_ONCE):
            some = vectors[first : first + _AT_ONCE]
            parts = [product(some) for product in self._products]
            found += [self._near(np.concatenate(products), admitted) for products in zip(*parts, strict=True)]
        return np.unique(np.concatenate(found))

    def _near(self, products: FloatArray, admitted: BoolArray | None) -> IntArray:
        best = np.maximum.reduceat(products, self._starts[:-1])
        if admitted is not None:
            best[~admitted] = -np.inf
        most = min(COMPARED, len(best))
        labels = np.sort(np.argpartition(best, -most)[-most:])
        labels = labels[best[labels] > -np.inf]
        sizes = self._starts[labels + 1] - self._starts[labels]
        rows = np.repeat(self._starts[labels] - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
        near: IntArray = rows[products[rows] >= np.repeat(best[labels], sizes) - MARGIN]
        return near


def rows_of(blocks: Blocks) -> ByteArray:
    """Return the rows: uint8 (n, bytes)."""
    count = len(blocks.values)
    scales = np.ascontiguousarray(blocks.scales, dtype="<f4").view(np.uint8)
    return np.concatenate([blocks.values.reshape(count, -1), scales.reshape(count, -1)], axis=1)


def blocks_of(rows: ByteArray, count: int, size: int, width: int) -> Blocks:
    """Return the blocks in rows: so many of each, of so many numbers, of which `width` are the vector's."""
    numbers = count * size
    scales = np.ascontiguousarray(rows[:, numbers:]).view("<f4")
    return Blocks(rows[:, :numbers].reshape(len(rows), count, size), scales, width)


_KEPT: Final = ("starts", "offsets", "names", "named", "key_hashes", "key_rows", "key_ends")


class Base:
    """A published version. Safe to share between threads.

    In memory are the vectors in 4 bits a number, the keys of the labels, hashes of keys and names, and where records
    begin. Vectors in 8 bits and records are read when they are needed.
    """

    def __init__(self, file: SectionFile) -> None:
        """Use a file that `file_writing.written` wrote."""
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
        """Return the labels that have one of the texts among their names; see `StoredLabel.named`."""
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
        """Return the row of a label; None if there is none."""
        found = np.uint64(hashed(key))
        place = int(np.searchsorted(self._arrays["key_hashes"], found))
        while place < self.labels and self._arrays["key_hashes"][place] == found:
            row = int(self._arrays["key_rows"][place])
            if self.key(row) == key:
                return row
            place += 1
        return None

    def key(self, row: int) -> str:
        """Return the key of a label."""
        start, end = self._arrays["key_ends"][row : row + 2].tolist()
        return self._keys[start:end].decode()

    def keys(self, rows: IntArray) -> list[str]:
        """Return the keys of labels."""
        ends = self._arrays["key_ends"]
        places = zip(ends[rows].tolist(), ends[rows + 1].tolist(), strict=True)
        return [self._keys[start:end].decode() for start, end in places]

    def record(self, row: int) -> StoredLabel:
        """Return the record of a label."""
        start, end = self._arrays["starts"][row : row + 2].tolist()
        vectors = np.frombuffer(self._file.part("vectors", start, end), np.uint8).reshape(end - start, -1)
        start, end = self._arrays["offsets"][row : row + 2].tolist()
        return StoredLabel.unpack(self._file.part("records", start, end), blocks_of(vectors, *self._layout))

    def size(self, row: int) -> int:
        """Return the number of a label's phrases."""
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
        """Describe what is wrong with the records, in sentences."""
        problems = []
        for row in range(self.labels):
            try:
                self.record(row)
            except ValueError as error:
                problems.append(f"the record of {self.key(row)!r} is damaged: {error}")
        return problems


def hashed(text: str) -> int:
    """Return the hash under which a name or key is found."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
