"""Catalogs with labelled queries: our own development set, and CLINC150 (Larson et al., 2019) from a file."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from embeddings.evaluation import LabelledQuery
from embeddings.phrase_book import Label, PhraseBook
from server.catalog.loading import load_catalog
from server.catalog.phrase_book import phrase_book
from server.paths import shipped_data

DEV_FILE: Final = Path(__file__).resolve().parent / "dev.jsonl"
PHRASES_AN_INTENT: Final = (1, 3, 5, 10)


@dataclass(frozen=True)
class Case:
    """A catalog and the queries put to it.

    Attributes:
        data: what it is a sample of.
        seed: number of the sample.
        book: the catalog, all that a matcher may learn from.
        queries: none of them is in the catalog by intent.
    """

    data: str
    seed: int
    book: PhraseBook
    queries: tuple[LabelledQuery, ...]

    def every(self, step: int) -> "Case":
        """The same with one query in `step`."""
        return replace(self, queries=self.queries[::step])


def shipped_book() -> PhraseBook:
    """The shipped catalog as the matcher sees it."""
    return phrase_book(load_catalog(shipped_data()))


def dev() -> Case:
    """The shipped catalog and the development queries."""
    lines = DEV_FILE.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    queries = tuple(LabelledQuery(row["query"], tuple(row["gold"]), row["stratum"]) for row in rows)
    return Case("dev", 0, shipped_book(), queries)


def clinc(path: Path, seeds: int) -> Iterator[Case]:
    """CLINC150 with few phrases an intent, drawn from its training part; a larger draw contains the smaller ones.

    The catalog has no out-of-scope phrases; the test part's in-scope and out-of-scope queries are put to it.

    Args:
        path: `data_full.json` of github.com/clinc/oos-eval.
        seeds: how many draws.
    """
    content = json.loads(path.read_text(encoding="utf-8"))
    queries = [LabelledQuery(text, (_spoken(intent),)) for text, intent in content["test"]]
    queries += [LabelledQuery(text, (), "out") for text, _ in content["oos_test"]]
    for seed in range(seeds):
        for count in PHRASES_AN_INTENT:
            yield Case(f"clinc150-{count}", seed, clinc_book(content, count, seed), tuple(queries))


def clinc_book(content: dict[str, Any], count: int, seed: int) -> PhraseBook:
    """A catalog of the intents, each with its name and some training phrases."""
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
