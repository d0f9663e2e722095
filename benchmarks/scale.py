"""Measures a store in a file at 10,000, 100,000 and 1,000,000 phrases: real phrases, spread by noise.

Run with: python -m benchmarks.scale FOLDER [PHRASES ...]

Each label has ten phrases of one shipped capability. Its vectors are theirs, turned by noise to a cosine of 0.85, of
which half is common to the label; a number is appended to the texts. Queries are held-out ones. What is measured is
what a match costs beside its encoding: on one core, if it is run with `taskset -c 0` and OMP_NUM_THREADS=1.
"""

import argparse
import json
import subprocess
import sys
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.encoder.encoder import Encoder
from embeddings.index.stores.file.file_store import FileStore
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from embeddings.ranking.whitening import whiten
from embeddings.store_matcher import StoreMatcher
from embeddings.training.stored.build import build_store
from server.matching.matcher_provider import VECTORS_FILE
from server.paths import shipped_data

PHRASES: Final = 10
"""Phrases of a label."""

COSINE: Final = 0.85
QUERIES: Final = 100
_HELD_OUT: Final = Path(__file__).with_name("held_out_needs.jsonl")


class SpreadEncoder:
    """Gives stored vectors, turned by noise that the numbers after a text decide; other texts are encoded."""

    def __init__(self) -> None:
        """Use the shipped model and the vectors of the shipped catalog."""
        self._encoder = Encoder.load(None, threads=1)
        matcher = Matcher.load(shipped_data() / VECTORS_FILE, self._encoder)
        texts, vectors = matcher.texts_and_vectors()
        self.book = matcher.book
        self._whitening = matcher._fitted.whitening if matcher._fitted else np.eye(1, dtype=np.float32)
        self._known = dict(zip(texts, vectors, strict=True))
        self._kept: dict[str, FloatArray] = {}
        self.dimensions = vectors.shape[1]
        self.fingerprint = "spread-1"
        self.languages = self._encoder.languages

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Embed texts; see `TextEncoder`."""
        return np.stack([self._vector(text) for text in texts])

    def knows(self, word: str) -> bool:
        """Whether the model knows a word."""
        return self._encoder.knows(word)

    def _vector(self, text: str) -> FloatArray:
        real, _, number = text.rpartition(" #")
        if real not in self._known:
            if text not in self._kept:
                self._kept[text] = whiten(self._encoder.encode([text]), self._whitening)[0]
            return self._kept[text]
        label = np.random.default_rng(int(number)).standard_normal(self.dimensions)
        own = np.random.default_rng(zlib.crc32(text.encode())).standard_normal(self.dimensions)
        size = np.sqrt((1 / COSINE**2 - 1) / (2 * self.dimensions))
        turned = self._known[real] + size * (label + own)
        return np.asarray(turned / np.linalg.norm(turned), dtype=np.float32)


def catalog(base: PhraseBook, labels: int) -> PhraseBook:
    """A catalog of so many labels, of which each has phrases of one real label."""
    generator = np.random.default_rng(0)
    found = []
    for number in range(labels):
        real = base.labels[number % len(base.labels)]
        rows = generator.choice(len(real.phrasings), PHRASES - 1, replace=False)
        phrasings = tuple(f"{real.phrasings[row]} #{number}" for row in rows)
        found.append(Label(f"{real.name} #{number}", phrasings=phrasings))
    return PhraseBook(tuple(found), base.out_of_scope[:200])


def measured(path: Path, encoder: SpreadEncoder) -> dict[str, Any]:
    """Cost of a match, and whether its proposals hold the label of the exactly nearest phrase."""
    store = FileStore(path)
    began = time.perf_counter()
    matcher = StoreMatcher(store, encoder)
    matcher.try_out()
    opened = time.perf_counter() - began
    lines = _HELD_OUT.read_text(encoding="utf-8").splitlines()[:QUERIES]
    queries = [json.loads(line)["query"] for line in lines]
    times = []
    for query in queries:
        matcher.match(query, 3)  # So that its parts are encoded.
    matcher = StoreMatcher(store, encoder)
    for query in queries:
        began = time.perf_counter()
        matcher.match(query, 3)
        times.append(1000 * (time.perf_counter() - began))
    counts = store.count()
    return {
        "labels": counts.labels,
        "phrases": counts.phrases,
        "megabytes": round(path.stat().st_size / 1e6),
        "open seconds": round(opened, 2),
        "p50 ms": round(float(np.median(times)), 1),
        "p95 ms": round(float(np.percentile(times, 95)), 1),
        "resident MB": _resident("VmRSS"),
        "peak resident MB": _resident("VmHWM"),
    }


def _resident(field: str) -> int:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split(f"{field}:")[1].split()[0]) // 1024


def main() -> None:
    """Build what is missing, and measure each size in a process of its own."""
    parser = argparse.ArgumentParser(description="Measure a store in a file as it grows.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("phrases", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--only-measure", action="store_true")
    options = parser.parse_args()
    for phrases in options.phrases:
        path = options.folder / f"{phrases}.labels"
        if options.only_measure:
            print(json.dumps(measured(path, SpreadEncoder())), flush=True)
            continue
        if not path.exists():
            encoder = SpreadEncoder()
            began = time.perf_counter()
            build_store(catalog(encoder.book, phrases // PHRASES), encoder, FileStore(path))
            print(f"{phrases:,} phrases built in {time.perf_counter() - began:.0f} s", flush=True)
        command = [sys.executable, "-m", "benchmarks.scale", str(options.folder), str(phrases), "--only-measure"]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
