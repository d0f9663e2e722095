"""Loads catalogs with labelled queries: our development set, and CLINC150 (Larson et al., 2019) from a file."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.metrics import LabelledQuery
from server.catalog.catalog import phrase_book
from server.catalog.loading import load_catalog
from server.paths import shipped_data

DEV_FILE: Final = Path(__file__).resolve().parent / "dev.jsonl"
PHRASES_AN_INTENT: Final = (0, 1, 3, 5, 10)


@dataclass(frozen=True)
class Case:
    """A catalog and the queries to match against it.

    Attributes:
        data: name of the data that this is a sample of.
        seed: number of the sample.
        book: the catalog; matchers may learn from nothing else.
        queries: labelled queries; none was deliberately put into the catalog.
    """

    data: str
    seed: int
    book: PhraseBook
    queries: tuple[LabelledQuery, ...]

    def every(self, step: int) -> "Case":
        """Return the same case with only every `step`-th query."""
        return replace(self, queries=self.queries[::step])


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Read a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def shipped_book() -> PhraseBook:
    """Load the shipped catalog as a phrase book."""
    return phrase_book(load_catalog(shipped_data()))


def dev() -> Case:
    """Load the shipped catalog and the development queries."""
    rows = read_rows(DEV_FILE)
    queries = tuple(LabelledQuery(row["query"], tuple(row["gold"]), row["stratum"]) for row in rows)
    return Case("dev", 0, shipped_book(), queries)


def clinc(path: Path, seeds: int) -> Iterator[Case]:
    """Yield CLINC150 with few phrases per intent, drawn from its training set; larger draws contain the smaller ones.

    The catalog has no out-of-scope phrases; the queries are the in-scope and out-of-scope queries of the test set.

    Args:
        path: `data_full.json` of github.com/clinc/oos-eval.
        seeds: number of draws.
    """
    content = json.loads(path.read_text(encoding="utf-8"))
    queries = [LabelledQuery(text, (_spoken(intent),)) for text, intent in content["test"]]
    queries += [LabelledQuery(text, (), "out") for text, _ in content["oos_test"]]
    for seed in range(seeds):
        for count in PHRASES_AN_INTENT:
            yield Case(f"clinc150-{count}", seed, clinc_book(content, count, seed), tuple(queries))


def clinc_book(content: dict[str, Any], count: int, seed: int) -> PhraseBook:
    """Make a catalog of the intents, each with its name and `count` random training phrases."""
    phrases: dict[str, list[str]] = defaultdict(list)
    for text, intent in content["train"]:
        phrases[intent].append(text)
    generator = np.random.default_rng(seed)
    drawn = {intent: generator.permutation(len(texts))[:count] for intent, texts in sorted(phrases.items())}
    labels = [
        Label(_spoken(intent), phrasings=tuple(phrases[intent][row] for row in rows)) for intent, rows in drawn.items()
    ]
    return PhraseBook(tuple(labels))


def _spoken(intent: str) -> str:
    return intent.replace("_", " ")
