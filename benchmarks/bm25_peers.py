"""Compared matchers that use BM25: alone, as FastMCP does, and together with the cosine."""

import importlib
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from benchmarks.peer import NOT_ANSWERED, Scores, Texts
from embeddings.text.normalization import words
from embeddings.text.words import spoken


def documents(catalog: Texts) -> list[str]:
    """Return one text for each label: all its texts and the fields, such as the parameters of a tool."""
    found = [[text for texts in label.fields.values() for text in texts] for label in catalog.book.labels]
    for text, label in zip(catalog.texts, catalog.owners, strict=True):
        found[label].append(text)
    return [" ".join(texts) for texts in found]


class Bm25:
    """Okapi BM25 over one document per label that contains all its texts."""

    name = "BM25"
    package = "rank_bm25"
    calibrated = False

    def fit(self, catalog: Texts) -> None:
        """Index the documents."""
        tokens = [words(text) for text in documents(catalog)]
        self._index = importlib.import_module(self.package).BM25Okapi(tokens)

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return BM25 scores; a label that shares no word with the query is `NOT_ANSWERED`."""
        found = np.array([self._index.get_scores(words(query)) for query in queries])
        return np.where(found > 0, found, NOT_ANSWERED)


class FastMcpBm25:
    """BM25 as FastMCP's tool search computes it, written again from its source, as the package brings a web stack.

    Tokens are runs of two or more ASCII letters and digits; k1 is 1.5 and b is 0.75; a repeated word of the query
    counts again; five tools are returned. Phrasings, which FastMCP does not know, stand in the description.
    """

    name = "FastMCP's BM25"
    package = ""
    calibrated = False
    K1: Final = 1.5
    B: Final = 0.75
    RETURNED: Final = 5

    def fit(self, catalog: Texts) -> None:
        """Weigh the words of each document."""
        counts = [Counter(self._tokens(text)) for text in documents(catalog)]
        lengths = np.array([count.total() for count in counts], dtype=float)
        self._column = {token: column for column, token in enumerate(sorted(set().union(*counts)))}
        frequency = np.zeros((len(counts), len(self._column)))
        for row, count in enumerate(counts):
            for token, number in count.items():
                frequency[row, self._column[token]] = number
        present = (frequency > 0).sum(axis=0)
        rarity = np.log((len(counts) - present + 0.5) / (present + 0.5) + 1)
        length = 1 - self.B + self.B * lengths / max(lengths.mean(), 1e-9)
        self._weights = rarity * frequency * (self.K1 + 1) / (frequency + self.K1 * length[:, None])

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return the scores of the first five labels; the others are `NOT_ANSWERED`."""
        return np.array([self._one(query) for query in queries])

    def _one(self, query: str) -> Scores:
        columns = [self._column[token] for token in self._tokens(query) if token in self._column]
        found: Scores = self._weights[:, columns].sum(axis=1)
        beaten = np.argsort(-found, kind="stable")[self.RETURNED :]
        found[beaten] = 0
        return np.where(found > 0, found, NOT_ANSWERED)

    @staticmethod
    def _tokens(text: str) -> list[str]:
        return re.findall(r"[a-z0-9]{2,}", text.lower())


class Hybrid:
    """Cosine of "name: description", or of a phrasing if that is nearer, plus the logarithm of BM25."""

    name = "cosine + log BM25"
    package = "rank_bm25"
    calibrated = False
    WEIGHT: Final = 0.1
    """On WorkBench, NESTFUL and API-Bank the mean share right first is 0.659 with 0.03, 0.665 with 0.1, 0.639 with
    0.2."""

    def fit(self, catalog: Texts) -> None:
        """Embed the texts and index the words."""
        self._catalog, self._words = catalog, Bm25()
        self._words.fit(catalog)
        labels = catalog.book.labels
        whole = [f"{spoken(label.name)}: {label.description}".removesuffix(": ") for label in labels]
        self._wholes, self._vectors = catalog.encoder.encode(whole), catalog.encoder.encode(catalog.texts)
        self._asked = np.isin(catalog.texts, [text for label in labels for text in (*label.aliases, *label.phrasings)])

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return the sums."""
        vectors = self._catalog.encoder.encode(queries)
        nearest = self._catalog.best(np.where(self._asked, vectors @ self._vectors.T, -1))
        by_words = np.log1p(np.maximum(self._words.scores(queries), 0))
        found: Scores = np.maximum(vectors @ self._wholes.T, nearest) + self.WEIGHT * by_words
        return found
