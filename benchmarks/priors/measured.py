"""The signals of a catalog's queries: what the weights are fitted to."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.priors.cases import Case
from embeddings.arrays import BoolArray, DoubleArray, FloatArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.index.fitted_index import SIGNALS
from embeddings.labels.phrase_book import ASSUMED_SHARE
from embeddings.ranking.message import MAX_CLAUSES
from embeddings.ranking.rankers import FullRanker
from embeddings.text.clauses import clauses
from embeddings.training.build import build_index
from embeddings.training.calibration_data import MAX_ALTERNATIVES

WEIGHT: Final = 200.0
"""Queries that each catalog counts for, so that large sets do not decide alone."""


@dataclass(frozen=True)
class Measured:
    """The signals of one catalog's queries.

    Attributes:
        features: float32 (n, alternatives, signals); "none" is the last alternative.
        right: bool (n, alternatives), the labels that serve the query, or "none".
        importance: float64 (n,), how many queries each stands for; those that no label serves make up a fifth.
    """

    features: FloatArray
    right: BoolArray
    importance: DoubleArray


def measure(case: Case, encoder: TextEncoder) -> Measured:
    """Build the catalog and measure its queries. Only the labels likeliest so far, and the right ones, are kept."""
    index = build_index(case.book, encoder)
    ranker = FullRanker(index, encoder)
    place = {label.name: number for number, label in enumerate(case.book.labels)}
    width = min(len(place), MAX_ALTERNATIVES) + 1
    features = np.zeros((len(case.queries), width, len(SIGNALS)), dtype=np.float32)
    right = np.zeros((len(case.queries), width), dtype=bool)
    for row, query in enumerate(case.queries):
        parts = [part.text for part in clauses(query.query)[:MAX_CLAUSES]]
        ranking = ranker.rank_clauses(query.query, parts if len(parts) > 1 else [])[0]
        gold = [place[name] for name in query.gold]
        likely = ranking.confidences[:-1].copy()
        likely[gold] += 1
        kept = np.argsort(-likely, kind="stable")[: width - 1]
        features[row, :-1], features[row, -1] = ranking.signals[kept], ranking.signals[-1]
        right[row, :-1] = np.isin(kept, gold)
        right[row, -1] = not gold
    return Measured(features, right, _importance(~right[:, -1]))


def _importance(served: BoolArray) -> DoubleArray:
    inside = WEIGHT * (1 - ASSUMED_SHARE) / max(1, served.sum())
    outside = WEIGHT * ASSUMED_SHARE / max(1, (~served).sum())
    importance: DoubleArray = np.where(served, inside, outside)
    return importance
