"""Compares what is asked with every statement of a catalog."""

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Final

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.index.vector_product import VectorProduct
from embeddings.statements.statement_index import StatementIndex

KEPT: Final = 16
"""Phrases whose nearness is kept, as one answer asks about several entries: 16 * 11 kB for 1,343 statements."""


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
        self._kept: OrderedDict[str, Nearness] = OrderedDict()
        self._lock = Lock()

    def nearness(self, phrase: str) -> Nearness:
        """Compare a phrase, as typed, with every statement."""
        with self._lock:
            if phrase in self._kept:
                self._kept.move_to_end(phrase)
                return self._kept[phrase]
        found = self._compared(phrase)
        with self._lock:
            self._kept[phrase] = found
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return found

    def _compared(self, phrase: str) -> Nearness:
        cosines = self._product(self._encoder.encode([phrase]))[0]
        size = len(self._index.statements)
        question = np.zeros(size, dtype=np.float32)
        np.maximum.at(question, self._index.asked_of, cosines[size:])
        return Nearness(cosines[:size], question)
