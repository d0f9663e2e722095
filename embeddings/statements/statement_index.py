"""The vectors of the statements of a catalog, and of the questions that they answer.

The statements themselves are not in it: a reader has them from the catalog, and their fingerprint is compared.
"""

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Final

import numpy as np

from embeddings.arrays import FloatArray, IntArray, require, within
from embeddings.cache import LruCache
from embeddings.encoder.protocol import TextEncoder
from embeddings.errors import VectorFileError
from embeddings.files import read_bytes, write_atomically
from embeddings.index.vector_archive import Kind, check_blocks, narrows, unpack
from embeddings.index.vector_file import REBUILD, Model, check_fields, header_of, naming_damage
from embeddings.index.vector_product import Blocks, VectorProduct
from embeddings.ranking.signals import whiten
from embeddings.statements.statement import Statement

SMALLEST: Final = np.float32(1e-3)
"""Minimum length that is divided by; an entry of one statement has a distance of 0."""


@dataclass(frozen=True)
class StatementIndex:
    """Embedded statements.

    Attributes:
        statements: those of one group and label stand together.
        axes: float32 (d, k), maps the encoder's vectors to those that are compared: the strongest principal axes of the
            texts, at most 256. With 128, the right statement is pointed at for 2 in 100 narrow questions less, and with
            all 384 for 0.5 more, which takes half as many bytes again.
        blocks: one row for each statement, then one for each question, in the order of the statements; of unit length
            before they were rounded to 8 bits.
        model: fingerprint of the encoder that made the vectors.
    """

    statements: tuple[Statement, ...]
    axes: FloatArray
    blocks: Blocks
    model: str

    @cached_property
    def asked_of(self) -> IntArray:
        """The statement that each question belongs to: int64 (questions,)."""
        return np.repeat(np.arange(len(self.statements)), [len(found.questions) for found in self.statements])

    @cached_property
    def entries(self) -> dict[tuple[str, str], slice]:
        """The rows of the statements of each group and label."""
        found, start = {}, 0
        for entry, several in groupby(self.statements, key=lambda one: (one.group, one.label)):
            size = len(list(several))
            found[entry] = slice(start, start + size)
            start += size
        return found

    @cached_property
    def geometry(self) -> "Geometry":
        """Where the statements of each entry lie."""
        size = len(self.statements)
        means, distances = np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.float32)
        for rows in self.entries.values():
            # One entry at a time, as all vectors at once would take megabytes.
            vectors = self.blocks.rows(rows).restore()
            mean = vectors.mean(axis=0)
            means[rows] = np.linalg.norm(mean)
            distances[rows] = np.linalg.norm(vectors - mean, axis=1)
        return Geometry(np.maximum(means, SMALLEST), np.maximum(distances, SMALLEST))


@dataclass(frozen=True)
class Geometry:
    """Lengths in an entry, for each of its statements.

    Attributes:
        means: float32 (statements,), length of the mean of the entry's vectors.
        distances: float32 (statements,), distance of the statement's vector from that mean.
    """

    means: FloatArray
    distances: FloatArray


def texts(statements: Sequence[Statement]) -> list[str]:
    """Return the texts that are embedded: the statements, then their questions."""
    return [found.text for found in statements] + [asked for found in statements for asked in found.questions]


def fingerprint(statements: Sequence[Statement]) -> str:
    """Hash of everything that an index is built from, besides the model."""
    rows = [[found.group, found.label, found.field, found.text, *found.questions] for found in statements]
    return hashlib.sha256(json.dumps(rows, ensure_ascii=True).encode()).hexdigest()


FORMAT: Final = 3
"""Incremented when the content or the meaning of the file changes."""

MAX_BYTES: Final = 256 << 20
"""Largest file read, in bytes: 100 times the shipped one."""

KINDS: Final[Mapping[str, Kind]] = {
    "header": (1, (np.uint8,)),
    "axes": (2, (np.float16,)),
    "vectors": (3, (np.uint8,)),
    "scales": (2, (np.float32,)),
}


def write(path: Path, index: StatementIndex) -> None:
    """Write an index; the same index gives the same bytes.

    Raises:
        OSError: the folder cannot be written.
    """
    header = {"format": FORMAT, "model": index.model, "statements": fingerprint(index.statements)}
    buffer = io.BytesIO()
    # Compressed, it would be a tenth smaller and take 10 ms longer to read.
    np.savez(
        buffer,
        allow_pickle=False,
        header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8),
        axes=index.axes.astype(np.float16),
        vectors=index.blocks.values,
        scales=index.blocks.scales,
    )
    write_atomically(path, buffer.getvalue())


def read(path: Path, model: Model, statements: Sequence[Statement]) -> StatementIndex:
    """Read the index of these statements.

    Raises:
        VectorFileError: the file is missing, damaged, of another format, or built from other statements or with another
            model.
    """
    what = f"statement file {str(path)!r}"
    wanted = {"format": FORMAT, "model": model.fingerprint, "statements": fingerprint(statements)}
    with naming_damage(path):
        try:
            arrays = unpack(read_bytes(path, MAX_BYTES), KINDS)
        except OSError as error:
            raise VectorFileError(
                f"{what} cannot be read ({error}); statements must be embedded once before they can be ranked; "
                f"{REBUILD}"
            ) from error
        check_fields(
            header_of(arrays), wanted, what, "a statement file is valid for one format, model and set of statements"
        )
        axes = arrays["axes"].astype(np.float32)
        require(narrows(axes, model.dimensions), "the axes map the encoder's vectors to no more dimensions")
        require(within(axes, -1, 1), "the axes are of unit length")
        blocks = Blocks(arrays["vectors"], arrays["scales"], axes.shape[1])
        check_blocks(blocks, len(texts(statements)))
        return StatementIndex(tuple(statements), axes, blocks, model.fingerprint)


KEPT: Final = 16
"""Phrases whose nearness is kept, as one answer asks about several entries: 16 * 27 kB for 3,400 statements."""


@dataclass(frozen=True)
class Nearness:
    """How near a phrase is to each statement.

    Attributes:
        text: float32 (statements,), cosine to the statement.
        question: float32 (statements,), the largest cosine to one of its questions; 0 if it has none.
    """

    text: FloatArray
    question: FloatArray


class StatementComparer:
    """Compares phrases with the statements of one index. Safe to share between threads."""

    def __init__(self, index: StatementIndex, encoder: TextEncoder) -> None:
        """Use an index and the encoder that made its vectors."""
        self._index = index
        self._encoder = encoder
        self._product = VectorProduct(index.blocks)
        self._kept: LruCache[str, Nearness] = LruCache(KEPT)

    def nearness(self, phrase: str) -> Nearness:
        """Compare a phrase, as typed, with every statement."""
        found = self._kept.get(phrase)
        if found is None:
            found = self._compared(phrase)
            self._kept.put(phrase, found)
        return found

    def _compared(self, phrase: str) -> Nearness:
        cosines = self._product(whiten(self._encoder.encode([phrase]), self._index.axes))[0]
        size = len(self._index.statements)
        question = np.zeros(size, dtype=np.float32)
        np.maximum.at(question, self._index.asked_of, cosines[size:])
        return Nearness(cosines[:size], question)
