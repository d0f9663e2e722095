"""Times one match without the encoder, and the build of a catalog: `python -m benchmarks.matching_speed`.

A build runs on all threads and is timed from the texts to the written vector file. A match uses that file, runs on one
thread, and finds the vectors of the queries already computed. The texts of the synthetic catalog are random words;
their unit vectors are scattered about one centre per label.
"""

import argparse
import importlib
import importlib.util
import json
import os
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from benchmarks import labelled_data
from embeddings.encoder.caching import CachedEncoder
from embeddings.encoder.encoder import Encoder
from embeddings.encoder.protocol import TextEncoder
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher

DIMENSIONS: Final = 384
SCATTER: Final = 0.04
"""Standard deviation of each coordinate about the centre; cosines within a label are about 0.6, as in real data."""

VOCABULARY: Final = 20_000
WORDS: Final = 6
CLINC_LABELS: Final = 150
CLINC_PHRASES: Final = 10


class ScatterEncoder:
    """Encodes a text `label word word ...` as a fixed vector near its label's centre."""

    dimensions = DIMENSIONS
    fingerprint = "scatter"
    languages: tuple[str, ...] = ()

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the unit vectors of texts: float32 (len(texts), dimensions)."""
        return np.stack([self._one(text) for text in texts])

    def knows(self, word: str) -> bool:  # noqa: ARG002 -- required by the protocol
        """Return False: this encoder knows no words."""
        return False

    def _one(self, text: str) -> npt.NDArray[np.float32]:
        centre = _unit(
            np.random.default_rng(zlib.crc32(text.split(maxsplit=1)[0].encode())).standard_normal(DIMENSIONS)
        )
        noise = np.random.default_rng(zlib.crc32(text.encode())).standard_normal(DIMENSIONS)
        return _unit(centre + SCATTER * noise).astype(np.float32)


def _unit(vector: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return vector / float(np.linalg.norm(vector))


def synthetic(labels: int, phrases: int, queries: int) -> tuple[PhraseBook, list[str]]:
    """Make a catalog of random words, each label with a name and phrasings, and queries for it."""
    generator = np.random.default_rng(0)
    letters = generator.integers(ord("a"), ord("z") + 1, (VOCABULARY, 7))
    vocabulary = ["".join(map(chr, row)) for row in letters]

    def random_text(label: int) -> str:
        return " ".join([f"label{label}", *(vocabulary[row] for row in generator.integers(0, VOCABULARY, WORDS))])

    made = tuple(
        Label(f"label{label}", phrasings=tuple(random_text(label) for _ in range(phrases))) for label in range(labels)
    )
    return PhraseBook(made), [random_text(label) for label in generator.integers(0, labels, queries).tolist()]


def time_matches(matcher: Matcher, queries: Sequence[str]) -> dict[str, float]:
    """Time matches on one thread, in milliseconds; an untimed first round computes the vectors."""
    with importlib.import_module("threadpoolctl").threadpool_limits(1):
        for query in queries:
            matcher.match(query)
        times = []
        for query in queries:
            start = time.perf_counter()
            matcher.match(query)
            times.append((time.perf_counter() - start) * 1e3)
    return {"median ms": statistics.median(times), "p95 ms": float(np.percentile(times, 95))}


def time_build(book: PhraseBook, encoder: TextEncoder, file: Path) -> dict[str, float]:
    """Return the seconds from the texts to the written file, and the number of texts."""
    start = time.perf_counter()
    Matcher.build(book, encoder).save(file)
    seconds = time.perf_counter() - start
    return {"texts": sum(1 for _ in book.phrases()) + len(book.out_of_scope), "seconds": seconds}


def measure(clinc: Path | None, labels: int, folder: Path) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the name and the figures of each measurement as soon as it is done."""
    encoder = Encoder.load(threads=os.cpu_count() or 1)
    if clinc:
        book = labelled_data.clinc_book(json.loads(clinc.read_text(encoding="utf-8")), CLINC_PHRASES, seed=0)
    else:
        book, _ = synthetic(CLINC_LABELS, CLINC_PHRASES, 0)
    name = "CLINC150" if clinc else "synthetic"
    yield f"build, {name} of {CLINC_LABELS} labels", time_build(book, encoder, folder / "small.npz")
    yield "build, shipped catalog", time_build(labelled_data.shipped_book(), encoder, folder / "shipped.npz")
    queries = [query.query for query in labelled_data.dev().queries]
    known = CachedEncoder(Encoder.load())
    yield "match, shipped catalog", time_matches(Matcher.load(folder / "shipped.npz", known), queries)
    large, asked = synthetic(labels, CLINC_PHRASES, len(queries))
    scattered = CachedEncoder(ScatterEncoder())
    scattered.encode([phrase.text for phrase in large.phrases()])
    built = time_build(large, scattered, folder / "large.npz")
    yield f"build, synthetic of {labels:,} labels, without encoder", built
    yield f"match, synthetic of {labels:,} labels", time_matches(Matcher.load(folder / "large.npz", scattered), asked)


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--clinc", type=Path, metavar="FILE", help="build CLINC150 from this file instead of a synthetic catalog"
    )
    options.add_argument("--labels", type=int, default=10_000, help="labels of the synthetic catalog (default: 10000)")
    options.add_argument("--json", action="store_true", help="print JSON lines instead of a table")
    chosen = options.parse_args()
    if chosen.clinc and not chosen.clinc.is_file():
        options.error(f"{str(chosen.clinc)!r} is not a file; --clinc takes CLINC150's data_full.json; check the path")
    if not importlib.util.find_spec("threadpoolctl"):
        sys.exit("threadpoolctl is missing; it is needed to limit a match to one thread; pip install '.[benchmark]'")
    with tempfile.TemporaryDirectory() as folder:
        if not chosen.json:
            print("| what | time |\n|---|---|")
        for name, figures in measure(chosen.clinc, chosen.labels, Path(folder)):
            shown = ", ".join(f"{figure} {value:,.5g}" for figure, value in figures.items())
            print(json.dumps({"what": name, **figures}) if chosen.json else f"| {name} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
