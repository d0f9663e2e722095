"""Compared matchers that look at letters and words."""

import importlib
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from rapidfuzz import fuzz, process, utils

from benchmarks.peer import NOT_ANSWERED, Scores, Texts
from embeddings.folds import assign_folds
from embeddings.text import fold, words


class AliasTable:
    """The first design: the exact name, else an alias, else a substring.

    Generous: phrasings count as aliases, and either text may contain the other; scored by the share that they have in
    common.
    """

    name = "alias table, substrings"
    package = ""
    calibrated = False

    def fit(self, catalog: Texts) -> None:
        """Fold the texts."""
        self._catalog = catalog
        self._folded = [fold(text) for text in catalog.texts]
        self._names = {fold(label.name) for label in catalog.book.labels}

    def scores(self, queries: Sequence[str]) -> Scores:
        """Name 3, alias 2, substring up to 1."""
        return np.array([self._one(fold(query)) for query in queries])

    def _one(self, query: str) -> Scores:
        found = np.full(len(self._catalog.book.labels), NOT_ANSWERED)
        for text, label in zip(self._folded, self._catalog.owners, strict=True):
            if text and query and (text in query or query in text):
                alike = min(len(text), len(query)) / max(len(text), len(query))
                found[label] = max(found[label], alike if alike < 1 else 2 + (text in self._names))
        return found


class RapidFuzz:
    """The best text of a label by edit distance, with the scorer that does best on held-out texts of the catalog."""

    name = "RapidFuzz, best scorer"
    package = ""
    calibrated = False
    SCORERS: Final = (
        fuzz.ratio,
        fuzz.partial_ratio,
        fuzz.token_sort_ratio,
        fuzz.token_set_ratio,
        fuzz.WRatio,
        fuzz.QRatio,
    )
    TRIED: Final = 300

    def fit(self, catalog: Texts) -> None:
        """Choose the scorer: each of some texts is matched against the folds that it is not in."""
        self._catalog = catalog
        folds = assign_folds(catalog.owners)
        rows = np.unique(np.linspace(0, len(folds) - 1, self.TRIED).astype(np.int64))
        unseen = folds[rows][:, None] == folds[None, :]
        shares = []
        for scorer in self.SCORERS:
            values = self._compare([catalog.texts[row] for row in rows], scorer)
            answers = catalog.best(np.where(unseen, -1, values)).argmax(axis=1)
            shares.append(float((answers == catalog.owners[rows]).mean()))
        self.scorer = self.SCORERS[int(np.argmax(shares))]

    def scores(self, queries: Sequence[str]) -> Scores:
        """Likeness of the best text, out of 100."""
        return self._catalog.best(self._compare(queries, self.scorer))

    def _compare(self, queries: Sequence[str], scorer: Any) -> npt.NDArray[np.float32]:
        return process.cdist(
            queries, self._catalog.texts, scorer=scorer, processor=utils.default_process, workers=-1, dtype=np.float32
        )


class Bm25:
    """Okapi BM25 over one document a label, of all its texts."""

    name = "BM25"
    package = "rank_bm25"
    calibrated = False

    def fit(self, catalog: Texts) -> None:
        """Index the documents."""
        documents: list[list[str]] = [[] for _ in catalog.book.labels]
        for text, label in zip(catalog.texts, catalog.owners, strict=True):
            documents[label] += words(text)
        self._index = importlib.import_module(self.package).BM25Okapi(documents)

    def scores(self, queries: Sequence[str]) -> Scores:
        """A label that shares no word with the query is not returned."""
        found = np.array([self._index.get_scores(words(query)) for query in queries])
        return np.where(found > 0, found, NOT_ANSWERED)
