"""Compared matchers that are fitted to vectors and return probabilities: ours, and logistic regression."""

import importlib
import warnings
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from benchmarks.peer import NOT_ANSWERED, Scores, Texts
from embeddings.arrays import FloatArray
from embeddings.matcher import Matcher
from embeddings.ranking.match_result import DEFAULT_TOP, Decision, MatchResult
from embeddings.training.conditional_logit import assign_folds


class Ours:
    """`Matcher.build`; the scores are the confidences of the returned matches."""

    name = "agent-capabilities"
    package = ""
    calibrated = True

    def fit(self, catalog: Texts) -> None:
        """Build a matcher."""
        self._matcher = Matcher.build(catalog.book, catalog.encoder)
        self._place = {name: place for place, name in enumerate(self._matcher.names)}
        self._known: dict[str, MatchResult] = {}

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return the confidences of the first three matches; the others are `NOT_ANSWERED`."""
        found = np.full((len(queries), len(self._place)), NOT_ANSWERED)
        for row, query in enumerate(queries):
            for match in self._match(query).matches:
                found[row, self._place[match.name]] = match.match_confidence
        return found

    def decisions(self, queries: Sequence[str]) -> list[Decision]:
        """Return the decisions."""
        return [self._match(query).decision for query in queries]

    def _match(self, query: str) -> MatchResult:
        if query not in self._known:
            self._known[query] = self._matcher.match(query, DEFAULT_TOP)
        return self._known[query]


class LogisticRegression:
    """scikit-learn's, with a class for out-of-scope phrases; regularization is chosen on a held-out fifth."""

    name = "logistic regression"
    package = "sklearn"
    calibrated = True
    STRENGTHS: Final = (1.0, 10.0, 100.0)

    def fit(self, catalog: Texts) -> None:
        """Choose the inverse regularization strength `C` by likelihood, then fit to all texts."""
        self._encoder, self._labels = catalog.encoder, len(catalog.book.labels)
        vectors = catalog.encoder.encode([*catalog.texts, *catalog.book.out_of_scope])
        owners = np.append(catalog.owners, np.full(len(catalog.book.out_of_scope), self._labels))
        held = assign_folds(owners) == 0
        likelihood = [self._likelihood(strength, vectors, owners, held) for strength in self.STRENGTHS]
        self._model = self._fit(self.STRENGTHS[int(np.argmax(likelihood))], vectors, owners)

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return the probabilities of the labels."""
        found = np.zeros((len(queries), self._labels + 1))
        found[:, self._model.classes_] = self._model.predict_proba(self._encoder.encode(queries))
        return found[:, : self._labels]

    def _fit(self, strength: float, vectors: FloatArray, owners: npt.NDArray[np.int64]) -> Any:
        library = importlib.import_module("sklearn.linear_model")
        with warnings.catch_warnings():
            # With few phrases per label it warns that the labels look like a regression target.
            warnings.simplefilter("ignore", UserWarning)
            return library.LogisticRegression(C=strength, tol=1e-3, max_iter=500).fit(vectors, owners)

    def _likelihood(
        self, strength: float, vectors: FloatArray, owners: npt.NDArray[np.int64], held: npt.NDArray[np.bool_]
    ) -> float:
        model = self._fit(strength, vectors[~held], owners[~held])
        column = {label: place for place, label in enumerate(model.classes_.tolist())}
        rows = [(row, column[label]) for row, label in enumerate(owners[held].tolist()) if label in column]
        if not rows:
            return 0.0
        logs = model.predict_log_proba(vectors[held])
        return float(np.mean([logs[place] for place in rows]))
