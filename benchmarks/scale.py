"""Measures a store as it grows: 10,000, 100,000 and 1,000,000 phrases, if no other sizes are given.

Run with: OMP_NUM_THREADS=1 taskset -c 0 python -m benchmarks.scale FOLDER [PHRASES ...] [--store URI]

FOLDER keeps what is built (3 GB for the three sizes), and what was found of it. A store that has the phrases already is
not built again. Without --store, it is a file of the folder; `{phrases}` in a URI stands for the size, so that each
size is a store of its own: 'postgresql://localhost/postgres?schema=scale_{phrases}'. --results writes the
figures of all sizes to benchmarks/results, and a plot of them.

The catalog is made of real phrases, spread by noise: each label has ten phrases of one shipped capability, numbered,
and their vectors turned to a cosine of 0.85, of which half is common to the label; `benchmarks.scales.catalog` says
more. Queries are held-out ones, all different. Building and measuring have a process each. What is measured is what a
match costs beside its encoding, in wall clock and in processor time, on one core if it is run as above.
"""

import argparse
import json
import os
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any, Final

from benchmarks.http_server_process import machine
from benchmarks.scales import measuring, plot

SIZES: Final = (10_000, 100_000, 1_000_000)
RESULTS: Final = Path(__file__).resolve().parent / "results"


def run(step: str, uri: str, phrases: int) -> dict[str, Any]:
    """Run a step in a process of its own, because it reports its memory."""
    command = [sys.executable, "-m", "benchmarks.scale", uri, str(phrases), "--step", step]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return found


def figures(folder: Path, phrases: int, store: str | None) -> dict[str, Any]:
    """Build a store, unless it is there, and measure it."""
    file = folder / f"{phrases}.labels"
    uri = store.replace("{phrases}", str(phrases)) if store else str(file)
    kept = folder / f"{phrases}{f'.{zlib.crc32(uri.encode()):08x}' if store else ''}.build.json"
    if not measuring.is_built(uri, phrases):
        kept.write_text(json.dumps(run("build", uri, phrases)), encoding="utf-8")
    build = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    load = {"load before": round(os.getloadavg()[0], 1)}
    size = {} if store else {"file MB": round(file.stat().st_size / 1e6)}
    return run("measure", uri, phrases) | build | size | load


def main() -> None:
    """Measure each size, print what is found, and write it if asked to."""
    parser = argparse.ArgumentParser(description="Measure a store as it grows.")
    parser.add_argument("folder")
    parser.add_argument("phrases", type=int, nargs="*", default=SIZES)
    parser.add_argument("--store", help="URI of another store; {phrases} in it stands for the size")
    parser.add_argument("--results", action="store_true", help="write benchmarks/results/scale.json and scale.svg")
    parser.add_argument("--step", choices=("build", "measure"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        step = measuring.built if options.step == "build" else measuring.measured
        print(json.dumps(step(options.folder, options.phrases[0])))
        return
    Path(options.folder).mkdir(parents=True, exist_ok=True)
    described = machine()
    print(json.dumps(described))
    runs = []
    for phrases in options.phrases:
        runs.append(figures(Path(options.folder), phrases, options.store))
        print(json.dumps(runs[-1], indent=2), flush=True)
    if options.results:
        text = json.dumps({"machine": described, "sizes": runs}, indent=2)
        (RESULTS / "scale.json").write_text(f"{text}\n", encoding="utf-8")
        plot.write(runs, RESULTS / "scale.svg")


if __name__ == "__main__":
    main()
