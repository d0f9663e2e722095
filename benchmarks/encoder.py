"""Compares the encoder with others, on one thread: `python -m benchmarks.encoder --source FOLDER`.

Each encoder runs in its own process, in turns. The table shows medians over the rounds: time of the first load with
imports, median time of later loads, resident memory beyond that of the bare process, median latency by length, texts
per second by batch, and fidelity to float32 on `models/fidelity_texts.txt`, every text embedded separately. `pip
install fastembed sentence-transformers` installs the others; those that are missing are left out.
"""

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import psutil

from benchmarks.encoder_contestants import CONTESTANTS, prepare
from benchmarks.encoder_report import readme, store, table

ROOT: Final = Path(__file__).resolve().parent.parent
TEXTS: Final = ROOT / "models" / "fidelity_texts.txt"
LENGTHS: Final = (4, 8, 16, 64, 256)
BATCHES: Final = (1, 8, 32, 256)
PHRASE: Final = "which of these tools can undo what it did"
NEEDS: Final = {"fastembed, float32": "fastembed", "sentence-transformers": "sentence_transformers"}
SECONDS: Final = 1.0
"""Least time spent on measuring each median, in seconds."""

_MIN_RUNS: Final = 7


def measure(name: str, folder: Path | None, vectors: Path) -> dict[str, Any]:
    """Measure one encoder in this process, and write its vectors of the fidelity texts to a file."""
    before = psutil.Process().memory_info().rss
    start = time.perf_counter()
    encoder = CONTESTANTS[name](folder)
    load = time.perf_counter() - start
    encoder.encode([PHRASE])
    memory = psutil.Process().memory_info().rss - before
    # "word" is one token; the tokenizer adds two special tokens to each text.
    latency = {n: _median(lambda n=n: encoder.encode(["word " * (n - 2)])) for n in LENGTHS}  # type: ignore[misc]
    batches = {n: [f"{PHRASE} {i}" for i in range(n)] for n in BATCHES}
    rate = {n: n / _median(lambda texts=texts: encoder.encode(texts)) for n, texts in batches.items()}  # type: ignore[misc]
    again = _median(lambda: CONTESTANTS[name](folder))
    texts = TEXTS.read_text(encoding="utf-8").splitlines()
    np.save(vectors, np.concatenate([encoder.encode([text]) for text in texts]))
    return {
        "load": again,
        "firstLoad": load,
        "memory": memory,
        "latency": {str(n): seconds for n, seconds in latency.items()},
        "rate": {str(n): texts_a_second for n, texts_a_second in rate.items()},
    }


def _median(run: Callable[[], object]) -> float:
    run()
    taken: list[float] = []
    while sum(taken) < SECONDS or len(taken) < _MIN_RUNS:
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def compare(source: Path, scratch: Path, rounds: int) -> dict[str, Any]:
    """Measure all encoders whose packages are installed, in turns, and take the medians of the rounds.

    Fidelity is measured against "float32, same code".
    """
    from embeddings.encoder.model_files import official_model_folder
    from embeddings.model_build.compare import fidelity

    folders = _installed(prepare(source, scratch))
    vectors = {name: scratch / f"{number}.npy" for number, name in enumerate(folders)}
    measured: dict[str, list[dict[str, Any]]] = {name: [] for name in folders}
    for _ in range(rounds):
        for name, folder in folders.items():
            measured[name].append(_measure_apart(name, folder, vectors[name]))
    reference = np.load(vectors["float32, same code"])
    found: dict[str, Any] = {}
    for name, folder in folders.items():
        file = (folder or official_model_folder()) / "model.onnx"
        found[name] = _medians(measured[name]) | {
            "bytes": (file if file.exists() else source / "model.safetensors").stat().st_size,
            "fidelity": fidelity(np.load(vectors[name]), reference).to_dict(),
        }
    return found


def _installed(folders: dict[str, Path | None]) -> dict[str, Path | None]:
    missing = [name for name in folders if name in NEEDS and importlib.util.find_spec(NEEDS[name]) is None]
    for name in missing:
        print(f"{name}: package {NEEDS[name]} is not installed; this encoder is left out", file=sys.stderr)
    return {name: folder for name, folder in folders.items() if name not in missing}


def _measure_apart(name: str, folder: Path | None, vectors: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.encoder", "--one", name, str(folder or ""), str(vectors)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def _medians(rounds: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Compute the median of each figure, including those in nested dictionaries."""
    return {
        key: _medians([figures[key] for figures in rounds])
        if isinstance(value, dict)
        else statistics.median(figures[key] for figures in rounds)
        for key, value in rounds[0].items()
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--source", type=Path, metavar="FOLDER", help="folder with the official files")
    options.add_argument("--rounds", type=int, default=3, help="times each encoder is measured (default: %(default)s)")
    options.add_argument("--write", action="store_true", help="store results/encoder.json and .png for the README")
    options.add_argument("--one", nargs=3, metavar=("NAME", "FOLDER", "OUT"), help=argparse.SUPPRESS)
    chosen = options.parse_args(arguments)
    if chosen.one:
        name, folder, out = chosen.one
        print(json.dumps(measure(name, Path(folder) if folder else None, Path(out))))
        return 0
    if not chosen.source:
        options.error("--source is missing; give the folder that 'agent-capabilities model fetch' prints")
    if chosen.rounds < 1:
        options.error(f"--rounds is {chosen.rounds}; each encoder is measured at least once; give 1 or more")
    with tempfile.TemporaryDirectory() as scratch:
        found = compare(chosen.source.resolve(), Path(scratch), chosen.rounds)
    print(table(found))
    if chosen.write:
        store(found)
        print(readme(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
