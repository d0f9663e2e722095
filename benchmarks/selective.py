"""Measures answering only where one is sure: `python -m benchmarks.selective --clinc FILE [--write]`.

Of CLINC150 (`data_full.json` of github.com/clinc/oos-eval) with ten training phrases an intent, 5,500 test queries, a
thousand of them out of scope; and of the shipped capabilities, with the queries of `held_out_kinds.jsonl`. A matcher
answers the share of the queries of which it is surest: *risk* is how many of these answers are wrong, those to
out-of-scope queries included. AU-IOC is the area under in-scope accuracy over out-of-scope recall: a query below the
threshold is refused, so that the one falls while the other rises. ECE, over ten bins, is given where a score is a
probability. Two draws; a minute on two cores.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.few_examples import calibration_error
from benchmarks.fitted_peers import LogisticRegression, Ours
from benchmarks.labelled_data import DEV_FILE, Case, clinc, read_rows, shipped_book
from benchmarks.peer import Peer, Texts
from benchmarks.router_peers import CalibratedRouter
from benchmarks.vector_peers import PhraseCosine
from embeddings.arrays import BoolArray, DoubleArray
from embeddings.encoder.caching import CachedEncoder
from embeddings.encoder.encoder import Encoder
from embeddings.encoder.model_files import official_model_folder
from embeddings.metrics import LabelledQuery

RESULTS: Final = Path(__file__).parent / "results" / "selective.json"
SHARES: Final = (0.5, 0.7, 0.9)
EXAMPLES: Final = 10
DRAWS: Final = 2
PEERS: Final[tuple[type[Peer], ...]] = (Ours, CalibratedRouter, LogisticRegression, PhraseCosine)
CALIBRATED: Final = (Ours.name, CalibratedRouter.name, LogisticRegression.name)


def risk(sure: DoubleArray, right: BoolArray, share: float) -> float:
    """Return the share of wrong answers among the queries of which a matcher is surest."""
    kept = np.argsort(-sure, kind="stable")[: round(share * len(sure))]
    return 1 - float(right[kept].mean())


def au_ioc(sure: DoubleArray, right: BoolArray, inside: BoolArray) -> float:
    """Return the area under in-scope accuracy over out-of-scope recall, for all thresholds."""
    thresholds = np.concatenate([[-np.inf], np.unique(sure), [np.inf]])
    accuracy = [float((right & inside & (sure >= threshold)).sum() / inside.sum()) for threshold in thresholds]
    recall = [float((~inside & (sure < threshold)).sum() / (~inside).sum()) for threshold in thresholds]
    return float(np.trapezoid(accuracy, recall))


def figures(peer: Peer, case: Case, encoder: CachedEncoder) -> list[float | None]:
    """Return the risks at `SHARES`, AU-IOC and the calibration error, if the scores are probabilities."""
    peer.fit(Texts.of(case.book, encoder))
    scores = peer.scores([query.query for query in case.queries])[:, : len(case.book.labels)]
    names = [label.name for label in case.book.labels]
    sure, best = scores.max(axis=1).astype(np.float64), scores.argmax(axis=1)
    inside = np.array([bool(query.gold) for query in case.queries])
    right = np.array([names[place] in query.gold for place, query in zip(best, case.queries, strict=True)])
    error = calibration_error(sure, right) if peer.name in CALIBRATED else None
    return [*(risk(sure, right, share) for share in SHARES), au_ioc(sure, right, inside), error]


def cases(path: Path) -> dict[str, list[Case]]:
    """Return the draws of each set."""
    drawn = [case for case in clinc(path, DRAWS) if case.data == f"clinc150-{EXAMPLES}"]
    rows = read_rows(DEV_FILE.with_name("held_out_kinds.jsonl"))
    own = tuple(LabelledQuery(row["query"], tuple(row["gold"])) for row in rows)
    return {"CLINC150 x 10": drawn, "held_out_kinds": [Case("ours", 0, shipped_book(), own)]}


def measure(path: Path) -> list[dict[str, Any]]:
    """Measure every matcher on every set."""
    rows = []
    for name, drawn in cases(path).items():
        encoder = CachedEncoder(Encoder.load(official_model_folder() if name == "held_out_kinds" else None, 2))
        for peer in PEERS:
            found = [figures(peer(), case, encoder) for case in drawn]
            means = [None if None in each else round(float(np.mean(each)), 3) for each in zip(*found, strict=True)]
            rows.append({"set": name, "matcher": peer.name, "figures": means})
    return rows


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Format figures as a Markdown table."""
    head = [*(f"risk at {share:.0%}" for share in SHARES), "AU-IOC", "ECE"]
    lines = ["| set | matcher | " + " | ".join(head) + " |", "|---|---|" + "---:|" * len(head)]
    for row in rows:
        cells = ["" if value is None else f"{value:.3f}" for value in row["figures"]]
        lines.append(f"| {row['set']} | {row['matcher']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print; with --write, store the figures for the docs."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--clinc", type=Path, metavar="FILE", required=True, help="data_full.json of CLINC150")
    options.add_argument("--write", action="store_true", help=f"store {RESULTS.name}")
    chosen = options.parse_args()
    rows = measure(chosen.clinc)
    if chosen.write:
        RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8", newline="\n")
    print(table(rows))


if __name__ == "__main__":
    main()
