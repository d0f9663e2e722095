"""Compared matchers of semantic-router 1.x: as it is, and with the calibration that it can fit."""

import importlib
import logging
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from benchmarks.peer import NOT_ANSWERED, CannotFitError, Scores, Texts
from embeddings.arrays import BoolArray
from embeddings.encoder.caching import CachedEncoder
from embeddings.ranking.match_result import DEFAULT_TOP, Decision
from embeddings.training.conditional_logit import assign_folds

_APART: Final = 1e-9
"""Difference between the confidences of two routes that the router ranks, but is as sure of."""


class SemanticRouter:
    """semantic-router's `IndexedRouter` with its defaults: a route's mean cosine among the five nearest utterances."""

    name = "semantic-router"
    package = "semantic_router"
    calibrated = False

    def fit(self, catalog: Texts) -> None:
        """Make one route per label, with all its texts as utterances."""
        logging.getLogger(self.package).setLevel(logging.ERROR)
        self._place = {label.name: place for place, label in enumerate(catalog.book.labels)}
        self._router = self._routed(catalog, np.ones(len(catalog.texts), dtype=bool))

    def _routed(self, catalog: Texts, used: BoolArray, calibrator: Any = None) -> Any:
        library = importlib.import_module(self.package)
        utterances: dict[str, list[str]] = {}
        for text, label, use in zip(catalog.texts, catalog.owners, used, strict=True):
            if use:
                utterances.setdefault(catalog.book.labels[label].name, []).append(text)
        routes = [library.Route(name=name, utterances=texts) for name, texts in utterances.items()]
        encoder = RouterEncoder(catalog.encoder)
        return library.IndexedRouter(encoder=encoder, routes=routes, calibrator=calibrator)

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return the confidences of the first three routes; routes without a near utterance are `NOT_ANSWERED`."""
        found = np.full((len(queries), len(self._place)), NOT_ANSWERED)
        for row, query in enumerate(queries):
            least = np.inf
            for choice in self._router(query, limit=DEFAULT_TOP):
                if choice.confidence > 0:
                    # It ranks by raw scores; where calibrated ones are the same, its order must stay.
                    least = min(choice.confidence, least - _APART)
                    found[row, self._place[choice.name]] = least
        return found


class CalibratedRouter(SemanticRouter):
    """The same with `fit`, its Platt scaling, on a fifth of the phrasings held out and on the out-of-scope phrases.

    Names and descriptions are no queries, so that a catalog without phrasings has nothing to calibrate with.
    """

    name = "semantic-router, calibrated"
    calibrated = True
    THRESHOLD: Final = 0.5
    """Least confidence of an answer; what is likelier wrong than right is none."""

    def fit(self, catalog: Texts) -> None:
        """Calibrate with four fifths of the phrasings as utterances, then route with all of them."""
        super().fit(catalog)
        asked = np.array([phrase.kind == "phrasing" for phrase in catalog.book.phrases()], dtype=bool)
        held = asked & (assign_folds(catalog.owners) == 0)
        if not held.any():
            raise CannotFitError("no phrasing can be held out")
        texts = [text for text, out in zip(catalog.texts, held, strict=True) if out]
        wanted = [catalog.book.labels[label].name for label in catalog.owners[held]]
        trial = self._routed(catalog, ~held)
        outside = catalog.book.out_of_scope
        try:
            trial.fit([*texts, *outside], [*wanted, *(None for _ in outside)])
        except ValueError as problem:
            raise CannotFitError(str(problem)) from problem
        self._router = self._routed(catalog, np.ones(len(catalog.texts), dtype=bool), trial.calibrator)

    def decisions(self, queries: Sequence[str]) -> list[Decision]:
        """Resolve what is confident enough."""
        best = self.scores(queries).max(axis=1)
        return ["resolved" if confidence >= self.THRESHOLD else "no_match" for confidence in best]


class RouterEncoder:
    """Adapts `CachedEncoder` to the interface of semantic-router's `DenseEncoder`."""

    name = "known vectors"
    type = "known"

    def __init__(self, encoder: CachedEncoder) -> None:
        """Use the vectors of an encoder."""
        self._encoder = encoder

    def __call__(self, docs: list[str]) -> list[list[float]]:
        """Return the vectors of texts."""
        vectors: list[list[float]] = self._encoder.encode(docs).tolist()
        return vectors
