"""Times one match beside its encoding, and beside another checkout: `python -m benchmarks.query --against FOLDER`.

Both checkouts match the same queries in turn, on one core, each in a process of its own, with the same vector file or,
with `--other-vectors`, each with its own. The vectors of the queries are computed before. With `--after-encoder`, the
model runs before each match, untimed, because a match right after it finds little of the catalog in the processor's
cache. Times are of the processor, so that other processes disturb them less.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.query_worker import WORKER
from embeddings.arrays import DoubleArray

ROOT: Final = Path(__file__).resolve().parent.parent
VECTORS: Final = ROOT / "data" / "capability-vectors.npz"
QUERIES: Final = ROOT / "benchmarks" / "dev.jsonl"
TOLERANCE: Final = 1e-3
"""Difference of two confidences that is rounding."""


class Checkout:
    """A process that matches with the code of one checkout."""

    def __init__(self, folder: Path, vectors: Path, *, after_encoder: bool) -> None:
        """Start it; `folder` holds the package `embeddings`."""
        command = [sys.executable, str(WORKER), str(vectors), *(["--after-encoder"] if after_encoder else [])]
        one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(folder)}
        self._process = subprocess.Popen(
            command, cwd=folder, env=os.environ | one_thread, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def match(self, queries: Sequence[str]) -> list[dict[str, Any]]:
        """Match queries: the microseconds, decision, names, confidences and notes of each."""
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the process has no pipes; it was started with two")
        self._process.stdin.write(json.dumps(queries) + "\n")
        self._process.stdin.flush()
        answers: list[dict[str, Any]] = json.loads(self._process.stdout.readline())
        return answers

    def close(self) -> None:
        """End it."""
        self._process.communicate(timeout=30)


def differing(queries: Sequence[str], here: Checkout, there: Checkout) -> list[str]:
    """Return the queries that two checkouts answer differently, beyond rounding."""
    found = []
    for query, one, other in zip(queries, here.match(queries), there.match(queries), strict=True):
        same = all(one[key] == other[key] for key in ("decision", "names", "notes"))
        if not same or not np.allclose(one["confidences"], other["confidences"], atol=TOLERANCE):
            found.append(query)
    return found


def alternate(queries: Sequence[str], checkouts: Sequence[Checkout], rounds: int, turn: int) -> DoubleArray:
    """Time each query in each checkout, `turn` queries at a time: microseconds, (rounds, queries, checkouts)."""
    times = np.zeros((rounds, len(queries), len(checkouts)))
    for done in range(rounds):
        for start in range(0, len(queries), turn):
            for place in range(len(checkouts)):
                column = (place + done) % len(checkouts)
                answers = checkouts[column].match(queries[start : start + turn])
                times[done, start : start + turn, column] = [answer["microseconds"] for answer in answers]
    return times


def summary(times: DoubleArray) -> dict[str, float]:
    """Figures of a run; each query counts with its median over the rounds."""
    medians = np.median(times, axis=0)
    found = {"mean us": medians[:, 0].mean(), "median us": np.median(medians[:, 0])}
    if times.shape[2] > 1:
        ratios = medians[:, 0] / medians[:, 1]
        by_round = times[:, :, 0].sum(axis=1) / times[:, :, 1].sum(axis=1)
        found |= {"other mean us": medians[:, 1].mean(), "other median us": np.median(medians[:, 1])}
        found |= {"ratio of means": medians[:, 0].mean() / medians[:, 1].mean(), "median ratio": np.median(ratios)}
        found |= {"ratio p10": np.percentile(ratios, 10), "ratio p90": np.percentile(ratios, 90)}
        found |= {"lowest round": by_round.min(), "highest round": by_round.max()}
    return {name: round(float(value), 3) for name, value in found.items()}


def options() -> argparse.ArgumentParser:
    """Return the options of the command."""
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--against", type=Path, metavar="FOLDER", help="another checkout (default: none)")
    found.add_argument("--vectors", type=Path, default=VECTORS, metavar="FILE", help="vector file (default: shipped)")
    found.add_argument("--other-vectors", type=Path, metavar="FILE", help="the other checkout's (default: the same)")
    found.add_argument("--queries", type=Path, default=QUERIES, metavar="FILE", help="JSON lines with a query each")
    found.add_argument("--rounds", type=int, default=9, help="times that each query is timed (default: 9)")
    found.add_argument("--turn", type=int, default=20, help="queries that one matches before the other (default: 20)")
    found.add_argument("--core", type=int, default=0, help="core to run on, on Linux (default: 0)")
    found.add_argument("--after-encoder", action="store_true", help="run the model before each match")
    return found


def sides(chosen: argparse.Namespace) -> list[tuple[Path, Path]]:
    """Return the folder and the vector file of this checkout, and of the other one if there is one.

    Raises:
        ValueError: an option is of no use, or a folder or file is missing; the message says which.
    """
    other = chosen.other_vectors
    if other and not chosen.against:
        raise ValueError(
            f"--other-vectors {str(other)!r} belongs to no checkout; it takes the vector file of the other one; "
            "give --against FOLDER as well"
        )
    if chosen.against and not (chosen.against / "embeddings").is_dir():
        raise ValueError(
            f"{str(chosen.against)!r} has no folder 'embeddings'; --against takes a checkout; check the path"
        )
    for file in filter(None, (chosen.vectors, other)):
        if not file.is_file():
            raise ValueError(f"{str(file)!r} is no file; --vectors and --other-vectors take vector files; check it")
    found = [(ROOT, chosen.vectors.resolve())]
    if chosen.against:
        found.append((chosen.against.resolve(), (other or chosen.vectors).resolve()))
    return found


def main() -> None:
    """Measure and print."""
    parser = options()
    chosen = parser.parse_args()
    try:
        found = sides(chosen)
    except ValueError as problem:
        parser.error(str(problem))
    if sys.platform == "linux":
        os.sched_setaffinity(0, {chosen.core})
    queries = [json.loads(line)["query"] for line in chosen.queries.read_text(encoding="utf-8").splitlines() if line]
    checkouts = [Checkout(folder, vectors, after_encoder=chosen.after_encoder) for folder, vectors in found]
    if chosen.against:
        print(json.dumps({"queries": len(queries), "answered differently": differing(queries, *checkouts)}))
    print(json.dumps(summary(alternate(queries, checkouts, chosen.rounds, chosen.turn))))
    for checkout in checkouts:
        checkout.close()


if __name__ == "__main__":
    main()
