"""A catalog of any size: real phrases, spread by noise.

Each label takes its name and nine phrasings from one shipped capability, with a number appended to the texts. Vectors
of phrases are those of the real ones, turned by Gaussian noise to a cosine of 0.85 with them. Half of the noise is
common to the phrases of a label, and half is the phrase's own. So the phrases of a label lie nearer to each other
than to those of the thousands of labels that were made of the same capability, and these crowd around every query.
"""

import json
import time
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.encoder.encoder import Encoder
from embeddings.encoder.model_files import official_model_folder
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from embeddings.ranking.signals import whiten
from server.matching.matcher_provider import VECTORS_FILE
from server.paths import shipped_data

PHRASES: Final = 10
"""Phrases of a label."""

COSINE: Final = 0.85
_OUTSIDE: Final = 200
_FOLDER: Final = Path(__file__).resolve().parents[1]
_HELD_OUT: Final = (
    "held_out_needs",
    "held_out_threads",
    "held_out_intents",
    "held_out_kinds",
    "apart_needs",
    "apart_kinds",
)


class SpreadEncoder:
    """Encodes texts, and counts the time that it takes.

    Attributes:
        seconds: of wall clock and of the processor, spent in `encode` so far.
    """

    fingerprint = "spread-1"

    def __init__(self, known: Mapping[str, FloatArray] | None = None) -> None:
        """Use the shipped model, and the whitening of the shipped catalog.

        Args:
            known: vectors of real phrases; texts of the catalog are turned from these. Queries need none.
        """
        self._encoder = Encoder.load(official_model_folder(), threads=1)
        with np.load(shipped_data() / VECTORS_FILE) as arrays:
            self._whitening = np.asarray(arrays["whitening"], dtype=np.float32)
        self._known = known or {}
        self.dimensions = self._whitening.shape[1]
        self.languages = self._encoder.languages
        self.seconds = np.zeros(2)

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Embed texts; see `TextEncoder`."""
        began = np.array([time.perf_counter(), time.process_time()])
        found = np.stack([self._vector(text) for text in texts])
        self.seconds += np.array([time.perf_counter(), time.process_time()]) - began
        return found

    def knows(self, word: str) -> bool:
        """Return whether the model knows a word."""
        return self._encoder.knows(word)

    def _vector(self, text: str) -> FloatArray:
        real, _, number = text.rpartition(" #")
        if real not in self._known:
            vectors = whiten(self._encoder.encode([text]), self._whitening)
            return np.asarray(vectors[0], dtype=np.float32)
        label = np.random.default_rng(int(number)).standard_normal(self.dimensions)
        own = np.random.default_rng(zlib.crc32(text.encode())).standard_normal(self.dimensions)
        return turned(self._known[real], (label + own) / np.sqrt(2))


def turned(vector: FloatArray, noise: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> FloatArray:
    """Return a unit vector turned by noise of variance 1, to a cosine of about `COSINE`."""
    moved = vector + np.sqrt((1 / COSINE**2 - 1) / len(vector)) * noise
    return np.asarray(moved / np.linalg.norm(moved), dtype=np.float32)


def spread_catalog(labels: int) -> tuple[PhraseBook, SpreadEncoder]:
    """Return a catalog of so many labels, and what encodes it."""
    matcher = Matcher.load(shipped_data() / VECTORS_FILE, Encoder.load(official_model_folder(), threads=1))
    generator = np.random.default_rng(0)
    found = []
    for number in range(labels):
        real = matcher.book.labels[number % len(matcher.book.labels)]
        rows = generator.choice(len(real.phrasings), PHRASES - 1, replace=False)
        phrasings = tuple(f"{real.phrasings[row]} #{number}" for row in rows)
        found.append(Label(f"{real.name} #{number}", phrasings=phrasings))
    texts, vectors = matcher.texts_and_vectors()
    book = PhraseBook(tuple(found), matcher.book.out_of_scope[:_OUTSIDE])
    return book, SpreadEncoder(dict(zip(texts, vectors, strict=True)))


def held_out(most: int) -> list[str]:
    """Different queries that no label of the shipped catalog was built from; needs first."""
    lines = [
        line for name in _HELD_OUT for line in (_FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    return [*dict.fromkeys(json.loads(line)["query"] for line in lines)][:most]


def label_names(labels: int) -> list[str]:
    """Return the names of the labels of such a catalog, without making all of it."""
    with np.load(shipped_data() / VECTORS_FILE) as arrays:
        names = [label["name"] for label in json.loads(arrays["book"].tobytes())["labels"]]
    return [f"{names[number % len(names)]} #{number}" for number in range(labels)]
