"""Compared matchers that use letters and words."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from rapidfuzz import fuzz, process, utils

from benchmarks.peer import NOT_ANSWERED, Scores, Texts
from embeddings.text.normalization import fold
from embeddings.training.conditional_logit import assign_folds


class AliasTable:
    """The first design of this project: matches the exact name, else an alias, else a substring.

    This version is generous: phrasings count as aliases, and either text may contain the other. A substring scores the
    length of the shorter text over that of the longer.
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
        """Score a name 3, an alias 2, and a substring below 1."""
        return np.array([self._one(fold(query)) for query in queries])

    def _one(self, query: str) -> Scores:
        found = np.full(len(self._catalog.book.labels), NOT_ANSWERED)
        for text, label in zip(self._folded, self._catalog.owners, strict=True):
            if text and query and (text in query or query in text):
                alike = min(len(text), len(query)) / max(len(text), len(query))
                found[label] = max(found[label], alike if alike < 1 else 2 + (text in self._names))
        return found


class RapidFuzz:
    """Scores a label by its most similar text, with the scorer that is best on held-out texts of the catalog."""

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
        """Choose the scorer: match a sample of texts, each against the texts of the other folds."""
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
        """Return the similarity of each label's best text, from 0 to 100."""
        return self._catalog.best(self._compare(queries, self.scorer))

    def _compare(self, queries: Sequence[str], scorer: Any) -> npt.NDArray[np.float32]:
        return process.cdist(
            queries, self._catalog.texts, scorer=scorer, processor=utils.default_process, workers=-1, dtype=np.float32
        )
