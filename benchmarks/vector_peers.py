"""Compared matchers that rank by cosine, without fitting."""

from collections.abc import Sequence

import numpy as np

from benchmarks.peer import Scores, Texts


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
