"""Measures catalogs with few examples: `python -m benchmarks.few_examples --clinc FOLDER --hwu FOLDER [--write]`.

Catalogs of 25 intents are drawn from CLINC150 (a checkout of github.com/clinc/oos-eval) and HWU64 (one of
github.com/jianguoz/Few-Shot-Intent-Detection). All or half of the intents have 1, 3 or 10 examples, or none has any;
the catalog lists 0, 3 or 20 out-of-scope phrases. It is matched with queries of its intents, and with others that no
intent serves, which stand for a fifth of all. Prints, for each catalog, means over the draws: the share of the served
queries whose intent is first, and that are `no_match`; the share of the others that are `no_match`; the calibration
error.
"""

import argparse
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.sets import intents
from benchmarks.sets.labelled_set import LabelledSet
from embeddings.arrays import BoolArray, DoubleArray
from embeddings.encoder.caching import CachedEncoder
from embeddings.encoder.encoder import Encoder
from embeddings.encoder.protocol import TextEncoder
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher

RESULTS: Final = Path(__file__).parent / "results" / "few_examples.json"
LABELS: Final = 25
SERVED: Final = 150
OTHERS: Final = 40
OTHERS_SHARE: Final = 0.2
DRAWS: Final = 3
EXAMPLES: Final = (0, 1, 3, 10)
OUTSIDE: Final = (0, 3, 20)
BINS: Final = 10


@dataclass(frozen=True)
class Shape:
    """How much a catalog shows: examples an intent, of all intents or of half of them, and out-of-scope phrases."""

    examples: int
    half: bool
    outside: int


def shapes() -> Iterator[Shape]:
    """Yield the shapes, those with fewer examples first."""
    for examples in EXAMPLES:
        for half in (True, False) if examples else (False,):
            yield from (Shape(examples, half, outside) for outside in OUTSIDE)


@dataclass(frozen=True)
class Drawn:
    """A set of intents and what is out of its scope: phrases to list, and queries."""

    read: LabelledSet
    listed: list[str]
    others: list[str]

    def catalog(self, shape: Shape, seed: int) -> tuple[PhraseBook, list[tuple[str, tuple[str, ...]]]]:
        """Draw a catalog of a shape, and queries of its intents with those that serve them."""
        draw = random.Random(f"{self.read.name} {seed}")
        chosen = draw.sample(self.read.labels, LABELS)
        labels = tuple(
            replace(label, phrasings=tuple(draw.sample(label.phrasings, min(max(EXAMPLES), len(label.phrasings)))))
            for label in chosen
        )
        shown = tuple(
            replace(label, phrasings=label.phrasings[: shape.examples] if place % 2 == 0 or not shape.half else ())
            for place, label in enumerate(labels)
        )
        names = {label.name for label in chosen}
        queries = [(query.query, query.gold) for query in self.read.queries if names.intersection(query.gold)]
        book = PhraseBook(shown, tuple(draw.sample(self.listed, max(OUTSIDE))[: shape.outside]))
        return book, draw.sample(queries, min(SERVED, len(queries)))


def calibration_error(sure: DoubleArray, right: BoolArray, weights: DoubleArray | None = None) -> float:
    """Return the expected calibration error over bins of equal width, where each row counts one or its weight."""
    counts = np.ones(len(sure)) if weights is None else weights
    bins = np.minimum((sure * BINS).astype(np.int64), BINS - 1)
    return float(np.abs(np.bincount(bins, counts * (right - sure), BINS)).sum() / counts.sum())


NAMES: Final = ("first", "servedRefused", "othersRefused", "ece")


def figures(drawn: Drawn, shape: Shape, seed: int, encoder: TextEncoder) -> list[float]:
    """Return the figures of one catalog, in the order of `NAMES`."""
    book, queries = drawn.catalog(shape, seed)
    matcher = Matcher.build(book, encoder)
    served = [matcher.match(query, 3) for query, _ in queries]
    others = [matcher.match(query, 3) for query in drawn.others]
    right = [result.matches[0].name in gold for result, (_, gold) in zip(served, queries, strict=True)]
    sure = np.array([result.matches[0].match_confidence for result in [*served, *others]])
    weights = np.repeat([(1 - OTHERS_SHARE) / len(served), OTHERS_SHARE / len(others)], [len(served), len(others)])
    error = calibration_error(sure, np.array([*right, *(False for _ in others)]), weights)
    refused = [float(np.mean([result.decision == "no_match" for result in found])) for found in (served, others)]
    return [float(np.mean(right)), *refused, error]


def measure(sets: dict[str, Drawn]) -> list[dict[str, object]]:
    """Measure every shape of every set."""
    encoder, rows = CachedEncoder(Encoder.load()), []
    for name, drawn in sets.items():
        for shape in shapes():
            found = np.mean([figures(drawn, shape, seed, encoder) for seed in range(DRAWS)], axis=0)
            values = dict(zip(NAMES, [round(float(value), 3) for value in found], strict=True))
            rows.append(
                {"set": name, "examples": shape.examples, "half": shape.half, "outside": shape.outside, **values}
            )
    return rows


def table(rows: list[dict[str, object]]) -> str:
    """Format stored figures as a Markdown table, with the out-of-scope phrases side by side."""
    lines = [
        "| 25 intents of | examples | " + " | ".join(f"{outside} out of scope" for outside in OUTSIDE) + " |",
        "|---|---|" + "---|" * len(OUTSIDE),
    ]
    for start in range(0, len(rows), len(OUTSIDE)):
        row = rows[start]
        shown = f"{row['examples']}, half of the intents" if row["half"] else f"{row['examples']}"
        cells = [
            f"{each['first']:.2f}; {each['servedRefused']:.2f}, {each['othersRefused']:.2f}; {each['ece']:.2f}"
            for each in rows[start : start + len(OUTSIDE)]
        ]
        lines.append(f"| {row['set']} | {shown} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print; with --write, store the figures for the docs."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--clinc", type=Path, metavar="FOLDER", required=True, help="checkout of CLINC150")
    options.add_argument("--hwu", type=Path, metavar="FOLDER", required=True, help="checkout with HWU64")
    options.add_argument("--write", action="store_true", help=f"store {RESULTS.name}")
    chosen = options.parse_args()
    listed, far = (intents.clinc_outside(chosen.clinc, part) for part in ("oos_train", "oos_val"))
    rows = measure(
        {
            "CLINC150": Drawn(intents.clinc(chosen.clinc), [*listed], [*far][:OTHERS]),
            "HWU64": Drawn(intents.hwu(chosen.hwu, max(EXAMPLES)), [*listed], [*far][:OTHERS]),
        }
    )
    if chosen.write:
        RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8", newline="\n")
    print(table(rows))


if __name__ == "__main__":
    main()
