"""Adds up, for each label, what the queries for it found."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from embeddings.arrays import DoubleArray, FloatArray
from embeddings.preflight.asking import Asked, ask, count
from embeddings.preflight.finding import Answer
from embeddings.ranking.decision import DEFAULT_COSTS, Costs, decide
from embeddings.training.build import Fit

FIRST: Final = 3
"""Places in which a label counts as found: as many candidates as an unresolved answer lists."""


@dataclass(frozen=True)
class Query:
    """One query for a label.

    Attributes:
        text: what was asked.
        kind: the phrase's kind.
        own: probability of the label.
        place: its place, from 0.
        other: the likeliest other label, by its position.
        moved: the probability of that label.
        answer: what a caller would be told.
    """

    text: str
    kind: str
    own: float
    place: int
    other: int
    moved: float
    answer: Answer


@dataclass(frozen=True)
class Evidence:
    """What the queries for one label found.

    Attributes:
        queries: all of them, in order.
        mean: float64 (labels + 1,), mean probability over the examples, or else over the name, the aliases and the
            first sentence; zeros without queries.
        by_examples: whether the label was asked for by examples.
    """

    queries: tuple[Query, ...]
    mean: DoubleArray
    by_examples: bool

    @property
    def main(self) -> tuple[Query, ...]:
        """The queries of which `mean` is the mean."""
        return self.queries if self.by_examples else _main(self.queries)

    @property
    def found(self) -> float:
        """Share of the main queries that have the label among the first three; 0 without queries."""
        return sum(query.place < FIRST for query in self.main) / max(1, len(self.main))


def _main(queries: tuple[Query, ...]) -> tuple[Query, ...]:
    told = [query for query in queries if query.kind == "description"][:1]
    return (*(query for query in queries if query.kind != "description"), *told)


def gather(
    fit: Fit, progress: Callable[[int, int], None] | None = None, costs: Costs = DEFAULT_COSTS
) -> list[Evidence]:
    """Ask for every label, and add up what was found.

    Args:
        fit: the catalog, fitted.
        progress: gets the queries done and their number.
        costs: what mistakes cost the caller, for decisions.
    """
    labels, total = fit.index.corpus.spans.labels, count(fit)
    queries: list[list[Query]] = [[] for _ in range(labels)]
    sums: FloatArray = np.zeros((labels, labels + 1), dtype=np.float32)
    counted = np.zeros(labels, dtype=np.int64)
    for done, asked in enumerate(ask(fit), 1):
        label = asked.phrase.label
        told = any(query.kind == "description" for query in queries[label])
        queries[label].append(_query(asked, costs))
        if asked.phrase.kind != "description" or not told:
            sums[label] += asked.confidences
            counted[label] += 1
        if progress:
            progress(done, total)
    means = sums.astype(np.float64) / np.maximum(counted, 1)[:, None]
    return [
        Evidence(tuple(found), means[label], any(query.kind == "phrasing" for query in found))
        for label, found in enumerate(queries)
    ]


def _query(asked: Asked, costs: Costs) -> Query:
    others = asked.confidences[:-1].copy()
    others[asked.phrase.label] = -1
    other = int(np.argmax(others))
    moved = max(0.0, float(others[other]))
    likeliest = np.sort(asked.confidences[:-1])[::-1][:FIRST].tolist()
    decision = decide(likeliest, float(asked.confidences[-1]), costs)
    answer = Answer(max(asked.own, moved), asked.place == 0, decision)
    return Query(asked.phrase.text, asked.phrase.kind, asked.own, asked.place, other, moved, answer)
