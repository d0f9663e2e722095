"""Compares matchers on the same catalogs, queries and vectors: `python -m benchmarks.matching`.

The data are the shipped catalog with `dev.jsonl`, which the project is tuned on, and with `--clinc FILE` also CLINC150
with few phrases per intent. top-1, top-3: share of in-scope queries with an acceptable label first, or among the first
three. AUROC: probability that an in-scope query's best score is above an out-of-scope query's. ECE: expected
calibration error of the matchers whose scores are meant as probabilities; out-of-scope queries count as wrong.
"""

import argparse
import importlib.util
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks import labelled_data, matching_plot, matching_report
from benchmarks.known_vectors import KnownVectors
from benchmarks.labelled_data import Case
from benchmarks.peer import Peer, Scores, Texts
from benchmarks.peers import PEERS
from embeddings.encoder.encoder import Encoder
from embeddings.metrics.figures import area_under_roc, calibration_error
from embeddings.ranking.match_result import DEFAULT_TOP

SEEDS: Final = 5
SMALL_STEP: Final = 10
"""With --small, only every tenth CLINC150 query is used."""


@dataclass(frozen=True)
class Figures:
    """Figures of one matcher on one sample; `ece` is None if its scores are not probabilities."""

    top1: float
    top3: float
    auroc: float
    ece: float | None


def figures(case: Case, scores: Scores, *, calibrated: bool) -> Figures:
    """Compare scores, (queries, labels), with the gold labels; ties rank in the order of the catalog."""
    names = [label.name for label in case.book.labels]
    right = np.array([[name in query.gold for name in names] for query in case.queries], dtype=bool)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :DEFAULT_TOP]
    hits = np.take_along_axis(right & np.isfinite(scores), order, axis=1)
    inside = np.array([bool(query.gold) for query in case.queries], dtype=bool)
    best = scores.max(axis=1)
    return Figures(
        top1=float(hits[inside, 0].mean()),
        top3=float(hits[inside].any(axis=1).mean()),
        auroc=area_under_roc(best[inside], best[~inside]),
        ece=calibration_error(best, hits[:, 0]) if calibrated else None,
    )


def cases(clinc: Path | None, *, small: bool) -> Iterator[Case]:
    """Yield every sample to measure."""
    yield labelled_data.dev()
    if clinc:
        for case in labelled_data.clinc(clinc, 1 if small else SEEDS):
            yield case.every(SMALL_STEP) if small else case


def available() -> list[type[Peer]]:
    """List the installed peers; name the others on stderr."""
    found = []
    for peer in PEERS:
        if not peer.package or importlib.util.find_spec(peer.package):
            found.append(peer)
        else:
            print(
                f"{peer.name} is left out; package {peer.package} is not installed; pip install '.[benchmark]'",
                file=sys.stderr,
            )
    return found


def measure(samples: Iterator[Case], peers: list[type[Peer]]) -> matching_report.Results:
    """Measure every matcher on every sample: data, matcher, figure, one value per seed."""
    encoder = KnownVectors(Encoder.load())
    found: matching_report.Results = {}
    for case in samples:
        queries = [query.query for query in case.queries]
        by_peer = found.setdefault(case.data, {})
        for kind in peers:
            peer = kind()
            peer.fit(Texts.of(case.book, encoder))
            measured = figures(case, peer.scores(queries), calibrated=kind.calibrated)
            print(f"{case.data}, seed {case.seed}: {kind.name}: {measured}", file=sys.stderr, flush=True)
            values = by_peer.setdefault(kind.name, defaultdict(list))
            for name, value in asdict(measured).items():
                if value is not None:
                    values[name].append(round(value, 4))
    return found


def main() -> None:
    """Measure and print the tables; with --write, store them."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--clinc", type=Path, metavar="FILE", help="CLINC150, data_full.json of github.com/clinc/oos-eval"
    )
    options.add_argument("--small", action="store_true", help="one seed, and one CLINC150 query in ten")
    options.add_argument("--json", action="store_true", help="print JSON instead of tables")
    options.add_argument(
        "--write", action="store_true", help="store results/matching.json and .png, and print the README's table"
    )
    chosen = options.parse_args()
    if chosen.clinc and not chosen.clinc.is_file():
        options.error(f"{str(chosen.clinc)!r} is not a file; --clinc takes CLINC150's data_full.json; check the path")
    found = measure(cases(chosen.clinc, small=chosen.small), available())
    print(json.dumps(found) if chosen.json else matching_report.tables(found))
    if chosen.write:
        matching_report.write(found, labelled_data.shipped_book().fingerprint)
        matching_plot.write(found)
        print(matching_report.readme(found), file=sys.stderr if chosen.json else sys.stdout)


if __name__ == "__main__":
    main()
