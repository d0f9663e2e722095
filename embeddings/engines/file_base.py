"""The labels of a published version in one file, of which a process keeps little in memory.

The vectors in memory have 4 bits a number: a search compares a query with all of them by one ONNX operator, in half the
time of 8 bits, and then compares the nearest phrases exactly. The signs of the numbers alone (Charikar, Similarity
Estimation Techniques from Rounding Algorithms, 2002) take a quarter of the memory, but of 1,000,000 phrases they lose
the nearest label of 2.5% of 200 held-out needs, even if 4,096 phrases are compared exactly.
"""

import hashlib
import json
import sqlite3
import weakref
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any, Final

import numpy as np

from embeddings.arrays import BoolArray, ByteArray, FloatArray, IntArray, require
from embeddings.engines.file_sqlite import check_schema, check_seal, connected, seal, transaction, translated
from embeddings.index.vector_product import Blocks, VectorProduct, step_of
from embeddings.stores.manifest import Manifest
from embeddings.stores.record import StoredLabel, batches
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

    def __init__(self, starts: IntArray, shards: Iterable[Blocks]) -> None:
        """Prepare the products.

        Args:
            starts: the first row of each label, ascending, and the number of rows after them.
            shards: the rows, in 4 bits a number; each shard is used before the next one is asked for.
        """
        self._starts = starts
        self._products = [VectorProduct(shard, BITS) for shard in shards]

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


_SCHEMA: Final = """
CREATE TABLE manifest (content BLOB NOT NULL, blocks INTEGER, size INTEGER, coarse INTEGER);
CREATE TABLE shards (shard INTEGER PRIMARY KEY, numbers BLOB NOT NULL, scales BLOB NOT NULL);
CREATE TABLE labels (row INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, phrases INTEGER NOT NULL, facets TEXT);
CREATE TABLE vectors (row INTEGER PRIMARY KEY, content BLOB NOT NULL);
CREATE TABLE records (row INTEGER PRIMARY KEY, content BLOB NOT NULL);
CREATE TABLE names (name BLOB, row INTEGER, PRIMARY KEY (name, row)) WITHOUT ROWID
"""

MISSHAPEN: Final = (AttributeError, IndexError, KeyError, MemoryError, OverflowError, RecursionError, TypeError)
"""Raised where a file's content, which anyone may have written, has another shape than `write` gives it."""

_FACETS: Final = ("tenant", "language", "tags")


class Base:
    """A published version. Safe to share between threads.

    In memory are the vectors in 4 bits a number and where the phrases of labels begin. The rest is read when it is
    needed.
    """

    def __init__(self, path: Path) -> None:
        """Read a file that `write` wrote.

        Raises:
            ValueError: it is damaged, or not such a file.
            OSError: it cannot be read.
        """
        self._path = path
        check_seal(path)
        # What was published never changes: another version takes the file's name, and this one stays open.
        self._database = connected(path, "mode=ro&immutable=1")
        weakref.finalize(self, self._database.close)
        with translated(path):
            check_schema(self._database, _SCHEMA)
        ((content, blocks, size, coarse_blocks),) = self._rows("SELECT * FROM manifest")
        self.identity = hashlib.blake2b(content, digest_size=16).hexdigest()
        self.manifest = Manifest.unpack(content)
        self._layout = blocks, size, self.manifest.whitening.shape[1]
        sizes = [phrases for (phrases,) in self._rows("SELECT phrases FROM labels ORDER BY row")]
        self._starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
        self.labels, self.phrases = len(sizes), int(self._starts[-1])
        require(self.labels > 0 and min(sizes) > 0, "each label has phrases")
        self._first_pass = FirstPass(self._starts, self._shards(coarse_blocks))
        self._admitted = lru_cache(maxsize=64)(self._admitting)

    def _rows(self, query: str, *values: object) -> list[Any]:
        with translated(self._path):
            return self._database.execute(query, values).fetchall()

    def _values(self, query: str, values: Iterable[object]) -> list[Any]:
        """Return the first value that a query finds for each of some values."""
        with translated(self._path):
            found = [self._database.execute(query, (value,)).fetchone() for value in values]
        require(None not in found, "every label is there")
        return [value for (value,) in found]

    def _shards(self, blocks: int) -> Iterator[Blocks]:
        found = 0
        for (shard,) in self._rows("SELECT shard FROM shards ORDER BY shard"):
            ((numbers, scales),) = self._rows("SELECT numbers, scales FROM shards WHERE shard = ?", shard)
            steps = np.frombuffer(scales, "<f4").reshape(-1, blocks)
            values = np.frombuffer(numbers, np.uint8).reshape(*steps.shape, -1)
            size = 2 * values.shape[-1]
            known = size in (*_BLOCK_SIZES, _SMALLEST_BLOCK) and blocks == -(-self._layout[-1] // size)
            require(known and bool(np.isfinite(steps).all()), "blocks have a known size and finite scales")
            yield Blocks(values, steps, self._layout[-1])
            found += len(steps)
        require(found == self.phrases, "each phrase has a vector")

    def nearest(self, vectors: FloatArray, most: int, where: Filter = EVERYTHING) -> list[list[tuple[str, float]]]:
        """For each vector, keys of the labels with the nearest phrases and their cosines, nearest first.

        Args:
            vectors: float32 (q, k), of unit length.
            most: labels for each, at most.
            where: which labels count.
        """
        rows = self._first_pass(vectors, None if where == EVERYTHING else self._admitted(where))
        if not len(rows):
            return [[] for _ in vectors]
        owners = np.searchsorted(self._starts, rows, "right") - 1
        first = np.flatnonzero(np.append(True, owners[1:] != owners[:-1]))
        # All are compared with each vector, because what is near one reading of a phrase is near another.
        cosines = vectors @ blocks_of(self._vectors(rows, owners, first), *self._layout).restore().T
        best = np.maximum.reduceat(cosines, first, axis=1)
        nearest = np.argsort(-best, axis=1, kind="stable")[:, :most]
        query = "SELECT key FROM labels WHERE row = ?"
        return [
            [*zip(self._values(query, owners[first[places]].tolist()), own[places].tolist(), strict=True)]
            for places, own in zip(nearest, best, strict=True)
        ]

    def _vectors(self, rows: IntArray, owners: IntArray, first: IntArray) -> ByteArray:
        """Return the vectors in some rows, ascending, given the label of each and where another label begins."""
        labels = owners[first]
        content = b"".join(self._values("SELECT content FROM vectors WHERE row = ?", labels.tolist()))
        sizes = self._starts[labels + 1] - self._starts[labels]
        before = np.repeat(np.cumsum(sizes) - sizes, np.diff(np.append(first, len(rows))))
        found = np.frombuffer(content, np.uint8).reshape(int(sizes.sum()), -1)
        return np.asarray(found[before + rows - self._starts[owners]])

    def named(self, texts: Sequence[str]) -> list[StoredLabel]:
        """Return the labels that have one of the texts among their names; see `StoredLabel.named`."""
        found = [self._rows("SELECT row FROM names WHERE name = ?", _encoded(text)) for text in texts]
        return [self.record(row) for row in sorted({row for each in found for (row,) in each})]

    def row(self, key: str) -> int | None:
        """Return the row of a label; None if there is none."""
        found = self._rows("SELECT row FROM labels WHERE key = ?", key)
        return found[0][0] if found else None

    def record(self, row: int) -> StoredLabel:
        """Return the record of a label."""
        query = "SELECT vectors.content, records.content FROM vectors JOIN records USING (row) WHERE row = ?"
        ((vectors, content),) = self._rows(query, row)
        rows = np.frombuffer(vectors, np.uint8).reshape(self.size(row), -1)
        return StoredLabel.unpack(content, blocks_of(rows, *self._layout))

    def size(self, row: int) -> int:
        """Return the number of a label's phrases."""
        return int(self._starts[row + 1] - self._starts[row])

    def _admitting(self, where: Filter) -> BoolArray:
        admitted = np.full(self.labels, where.admits({}))
        for row, facets in self._rows("SELECT row, facets FROM labels WHERE facets IS NOT NULL"):
            admitted[row] = where.admits(json.loads(facets))
        return admitted

    def verify(self) -> list[str]:
        """Describe what is wrong with the file and its records, in sentences."""
        problems = [f"the file is damaged: {found}" for (found,) in self._rows("PRAGMA quick_check") if found != "ok"]
        for row, key in self._rows("SELECT row, key FROM labels ORDER BY row"):
            try:
                self.record(row)
            except (ValueError, *MISSHAPEN) as error:
                problems.append(f"the record of {key!r} is damaged: {error}")
        return problems


def write(path: Path, records: Iterable[StoredLabel], manifest: Manifest) -> None:
    """Write the file of a version; the same labels give the same bytes.

    Args:
        path: an empty file.
        records: the labels, at least one, in the order of their keys; each is used before the next one is asked for.
        manifest: of the version.

    Raises:
        OSError: the file cannot be written.
    """
    with transaction(path, _SCHEMA) as database:
        rows = count()
        for shard, group in enumerate(batches(records, _SHARD)):
            for record in group:
                _insert(database, next(rows), record)
            parts = [coarse(record.blocks.restore()) for record in group]
            values = np.concatenate([part.values for part in parts])
            scales = np.concatenate([part.scales for part in parts]).astype("<f4")
            database.execute("INSERT INTO shards VALUES (?, ?, ?)", (shard, values.tobytes(), scales.tobytes()))
            layout = *group[0].blocks.values.shape[1:], values.shape[1]
        database.execute("INSERT INTO manifest VALUES (?, ?, ?, ?)", (manifest.pack(), *layout))
    seal(path)


def _insert(database: sqlite3.Connection, row: int, record: StoredLabel) -> None:
    metadata = record.label.metadata
    facets = {name: metadata[name] for name in _FACETS if name in metadata}
    described = json.dumps(facets, sort_keys=True) if facets else None
    database.execute("INSERT INTO labels VALUES (?, ?, ?, ?)", (row, record.key, len(record.phrases), described))
    database.execute("INSERT INTO vectors VALUES (?, ?)", (row, rows_of(record.blocks).tobytes()))
    database.execute("INSERT INTO records VALUES (?, ?)", (row, record.pack(vectors=False)))
    names = [(_encoded(text), row) for text in record.named]
    database.executemany("INSERT INTO names VALUES (?, ?)", sorted(names))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
