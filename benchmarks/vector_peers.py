"""Compared matchers that rank by cosine, without fitting."""

import importlib
import logging
from collections.abc import Sequence

import numpy as np

from benchmarks.known_vectors import KnownVectors
from benchmarks.peer import NOT_ANSWERED, Scores, Texts
from embeddings.ranking.match_result import DEFAULT_TOP


class NameCosine:
    """Scores a label by the cosine to its name."""

    name = "cosine to names"
    package = ""
    calibrated = False

    def fit(self, catalog: Texts) -> None:
        """Embed the names."""
        self._encoder = catalog.encoder
        self._vectors = catalog.encoder.encode([label.name for label in catalog.book.labels])

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return the cosines."""
        return (self._encoder.encode(queries) @ self._vectors.T).astype(np.float64)


class PhraseCosine:
    """Scores a label by the cosine to its nearest text."""

    name = "best cosine, all phrases"
    package = ""
    calibrated = False

    def fit(self, catalog: Texts) -> None:
        """Embed the texts."""
        self._catalog = catalog
        self._vectors = catalog.encoder.encode(catalog.texts)

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return the largest cosine of each label."""
        return self._catalog.best(self._catalog.encoder.encode(queries) @ self._vectors.T)


class SemanticRouter:
    """semantic-router's `IndexedRouter` with its defaults: a route's mean cosine among the five nearest utterances."""

    name = "semantic-router"
    package = "semantic_router"
    calibrated = False

    def fit(self, catalog: Texts) -> None:
        """Make one route per label, with all its texts as utterances."""
        library = importlib.import_module(self.package)
        logging.getLogger(self.package).setLevel(logging.ERROR)
        self._place = {label.name: place for place, label in enumerate(catalog.book.labels)}
        utterances: dict[str, list[str]] = {name: [] for name in self._place}
        for text, label in zip(catalog.texts, catalog.owners, strict=True):
            utterances[catalog.book.labels[label].name].append(text)
        routes = [library.Route(name=name, utterances=texts) for name, texts in utterances.items()]
        self._router = library.IndexedRouter(encoder=RouterEncoder(catalog.encoder), routes=routes)

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return the confidences of the first three routes; routes without a near utterance are `NOT_ANSWERED`."""
        found = np.full((len(queries), len(self._place)), NOT_ANSWERED)
        for row, query in enumerate(queries):
            for choice in self._router(query, limit=DEFAULT_TOP):
                if choice.confidence > 0:
                    found[row, self._place[choice.name]] = choice.confidence
        return found


class RouterEncoder:
    """Adapts `KnownVectors` to the interface of semantic-router's `DenseEncoder`."""

    name = "known vectors"
    type = "known"

    def __init__(self, encoder: KnownVectors) -> None:
        """Use the vectors of an encoder."""
        self._encoder = encoder

    def __call__(self, docs: list[str]) -> list[list[float]]:
        """Return the vectors of texts."""
        vectors: list[list[float]] = self._encoder.encode(docs).tolist()
        return vectors
