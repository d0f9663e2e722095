"""The vectors of the statements of a catalog, and of the questions that they answer."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Final

import numpy as np

from embeddings.arrays import FloatArray, IntArray
from embeddings.index.quantization import Blocks
from embeddings.statements.statement import Statement

SMALLEST: Final = np.float32(1e-3)
"""Least length that is divided by; an entry of one statement has a distance of 0."""


@dataclass(frozen=True)
class StatementIndex:
    """Embedded statements.

    Attributes:
        statements: those of one group and label stand together.
        blocks: one row for each statement, then one for each question, in the order of the statements; the encoder's
            own vectors, of unit length before they were rounded to 8 bits.
        model: fingerprint of the encoder that made the vectors.
    """

    statements: tuple[Statement, ...]
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
    """The texts that are embedded: the statements, then their questions."""
    return [found.text for found in statements] + [asked for found in statements for asked in found.questions]


def fingerprint(statements: Sequence[Statement]) -> str:
    """Hash of everything that an index is built from, besides the model."""
    rows = [[found.group, found.label, found.field, found.text, *found.questions] for found in statements]
    return hashlib.sha256(json.dumps(rows, ensure_ascii=True).encode()).hexdigest()
