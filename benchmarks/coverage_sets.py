"""Measures sets with a promise: `python -m benchmarks.coverage_sets --clinc FOLDER [--write]`.

Asks for sets of several coverages: of CLINC150 (a checkout of github.com/clinc/oos-eval) with ten examples an intent,
and of the shipped capabilities, with queries that were written apart from their phrasings. Prints how often a set has
what is right, "none of them" for the queries that nothing fits, which count as a fifth of all, and the mean size of a
set, "none" included. Then the same with sets for phrases like one half of the queries, measured on the other half, each
in turn; there those that nothing fits count as often as they are. Takes some minutes on two cores.
"""

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.labelled_data import DEV_FILE, read_rows, shipped_book
from benchmarks.sets import intents
from embeddings.arrays import DoubleArray
from embeddings.encoder.caching import CachedEncoder
from embeddings.encoder.encoder import Encoder
from embeddings.encoder.model_files import official_model_folder
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher

RESULTS: Final = Path(__file__).parent / "results" / "coverage_sets.json"
COVERAGES: Final = (0.8, 0.9, 0.95, 0.98)
EXAMPLES: Final = 10
SERVED: Final = 1500
OTHERS: Final = 400
OTHERS_SHARE: Final = 0.2

Query = tuple[str, Sequence[str]]
"""A query, and the labels that are right; none if nothing fits."""


def figures(name: str, matcher: Matcher, queries: Sequence[Query]) -> list[dict[str, Any]]:
    """Measure sets of each coverage for queries of one kind."""
    served = np.array([1.0 if right else 0.0 for _, right in queries])
    share = OTHERS_SHARE if 0 < served.sum() < len(served) else 0.0
    weights = np.where(served > 0, (1 - share) / served.sum(), share / max(1.0, (1 - served).sum()))
    rows = []
    for coverage in COVERAGES:
        held, sizes = _sets(matcher, queries, coverage)
        rows.append(_row(name, coverage, float(weights @ held), float(weights @ sizes)))
    return rows


def labelled_figures(name: str, matcher: Matcher, queries: Sequence[Query]) -> list[dict[str, Any]]:
    """Measure sets for phrases like one half of the queries on the other half, each in turn."""
    mixed = random.Random(1).sample(queries, len(queries))
    halves = [mixed[: len(mixed) // 2], mixed[len(mixed) // 2 :]]
    like = [matcher.with_labelled([text for text, _ in half], [right for _, right in half]) for half in halves]
    rows = []
    for coverage in COVERAGES:
        found = [_sets(one, half, coverage) for one, half in zip(like, reversed(halves), strict=True)]
        held, sizes = (np.concatenate(values).mean() for values in zip(*found, strict=True))
        rows.append(_row(f"{name}, like {len(halves[0])} labelled", coverage, float(held), float(sizes)))
    return rows


def _sets(matcher: Matcher, queries: Sequence[Query], coverage: float) -> tuple[DoubleArray, DoubleArray]:
    """Whether the set of each query has what is right, and its size, "none" included."""
    held, sizes = [], []
    for query, right in queries:
        found = matcher.match(query, coverage=coverage).within
        assert found is not None
        held.append(found.has_none if not right else not set(right).isdisjoint(found.labels))
        sizes.append(len(found.labels) + found.has_none)
    return np.array(held, dtype=np.float64), np.array(sizes, dtype=np.float64)


def _row(name: str, coverage: float, held: float, size: float) -> dict[str, Any]:
    return {"queries": name, "asked": coverage, "held": round(held, 3), "size": round(size, 2)}


def of_clinc(folder: Path) -> list[dict[str, Any]]:
    """Measure CLINC150, without and with its hundred out-of-scope phrases."""
    read, draw = intents.clinc(folder), random.Random(1)
    labels = tuple(replace(label, phrasings=tuple(draw.sample(label.phrasings, EXAMPLES))) for label in read.labels)
    queries: list[Query] = draw.sample([(each.query, each.gold) for each in read.queries], SERVED)
    queries += [(text, ()) for text in draw.sample([*intents.clinc_outside(folder, "oos_test")], OTHERS)]
    listed = tuple(intents.clinc_outside(folder, "oos_train"))
    encoder = CachedEncoder(Encoder.load())
    found = []
    for name, outside in (("CLINC150 x 10", ()), ("CLINC150 x 10, 100 out of scope", listed)):
        matcher = Matcher.build(PhraseBook(labels, outside), encoder)
        found += [*figures(name, matcher, queries), *labelled_figures(name, matcher, queries)]
    return found


def of_ours() -> list[dict[str, Any]]:
    """Measure the shipped capabilities on held-out queries."""
    matcher = Matcher.build(shipped_book(), Encoder.load(official_model_folder(), 2))
    kinds = ("held_out_kinds", "held_out_needs")
    rows = {kind: read_rows(DEV_FILE.with_name(f"{kind}.jsonl")) for kind in kinds}
    queries = {kind: [(each["query"], each["gold"]) for each in rows[kind]] for kind in kinds}
    return [
        row
        for kind in kinds
        for measure in (figures, labelled_figures)
        for row in measure(kind, matcher, queries[kind])
    ]


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Format figures as a Markdown table: a row for each kind of queries."""
    lines = ["| queries | " + " | ".join(f"{coverage:.0%}" for coverage in COVERAGES) + " |"]
    lines.append("|---|" + "---|" * len(COVERAGES))
    for start in range(0, len(rows), len(COVERAGES)):
        some = rows[start : start + len(COVERAGES)]
        cells = [f"{row['held']:.1%}, {row['size']:.1f}" for row in some]
        lines.append(f"| {some[0]['queries']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print; with --write, store the figures for the docs."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--clinc", type=Path, metavar="FOLDER", required=True, help="checkout of CLINC150")
    options.add_argument("--write", action="store_true", help=f"store {RESULTS.name}")
    chosen = options.parse_args()
    rows = [*of_clinc(chosen.clinc), *of_ours()]
    if chosen.write:
        RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8", newline="\n")
    print(table(rows))


if __name__ == "__main__":
    main()
