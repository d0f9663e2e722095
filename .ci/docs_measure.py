"""The figures that `.ci/docs.py measure` stores: the matcher on the labelled queries."""

import json
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
RESULTS: Final = ROOT / "benchmarks" / "results"
ACCURACY: Final = RESULTS / "accuracy.json"
MEASURED: Final = ("held_out_kinds", "held_out_needs", "apart_kinds", "apart_needs")
"""The files of labelled queries, in `benchmarks/`."""


def measure_accuracy() -> None:
    """Store what the shipped matcher makes of the labelled queries."""
    from embeddings.metrics import evaluate
    from server.evals.labelled_queries import read_queries
    from server.matching.service import open_service
    from server.paths import shipped_data

    matcher = open_service(shipped_data()).matchers.load()
    found = {}
    for name in MEASURED:
        queries = read_queries(ROOT / "benchmarks" / f"{name}.jsonl")
        found[name] = evaluate(queries, [matcher.match(query.query) for query in queries]).to_dict()
    ACCURACY.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8", newline="\n")
