"""The matcher: any phrase to ranked labels with calibrated confidence, and a decision."""

from pathlib import Path
from typing import Self

from embeddings import vector_file
from embeddings.decision import decide
from embeddings.encoder import TextEncoder
from embeddings.errors import PhraseError
from embeddings.explanation import Explanation, explain
from embeddings.fitted_index import FittedIndex, Progress, fit_lexical_weights
from embeddings.match_result import DEFAULT_TOP, Match, MatchedBy, MatchResult
from embeddings.phrase_book import PhraseBook
from embeddings.phrase_index import PhraseIndex
from embeddings.ranking import FullRanker, LexicalRanker, Ranker, Ranking
from embeddings.signals import FloatArray


class Matcher:
    """Matches phrases against one catalog. Safe to share between threads."""

    def __init__(self, ranker: Ranker, fitted: FittedIndex | None = None) -> None:
        """Use `build`, `load` or `degraded`."""
        self._ranker = ranker
        self._fitted = fitted

    @classmethod
    def build(cls, book: PhraseBook, encoder: TextEncoder, progress: Progress | None = None) -> Self:
        """Embed a catalog, fit its ranking and calibrate it. Seconds for thousands of phrases.

        Args:
            book: the catalog.
            encoder: also embeds the queries later.
            progress: told how many of how many texts are embedded.
        """
        fitted = FittedIndex.build(book, encoder, progress)
        return cls(FullRanker(fitted, encoder), fitted)

    @classmethod
    def load(cls, path: Path | str, encoder: TextEncoder, book: PhraseBook | None = None) -> Self:
        """Load a vector file.

        Args:
            path: a file written by `save`.
            encoder: the encoder that made its vectors.
            book: the catalog it must have been built from; whatever it holds, when left out.

        Raises:
            VectorFileError: the file is missing, damaged, stale, or made with another model.
        """
        fitted = vector_file.read(Path(path), encoder.fingerprint, book)
        return cls(FullRanker(fitted, encoder), fitted)

    @classmethod
    def degraded(cls, book: PhraseBook) -> Self:
        """A matcher without model or vectors: exact names, aliases, substrings and spelling, calibrated for that."""
        index = PhraseIndex.build(book)
        return cls(LexicalRanker(index, fit_lexical_weights(index)))

    def save(self, path: Path | str) -> None:
        """Write the vector file, in one step.

        Raises:
            ValueError: the matcher is degraded and has no vectors.
            OSError: the folder cannot be written.
        """
        if self._fitted is None:
            raise ValueError("a degraded matcher has no vectors to save; build one with an encoder first")
        vector_file.write(Path(path), self._fitted)

    @property
    def names(self) -> list[str]:
        """The labels' names, in the order of the catalog."""
        return [label.name for label in self._ranker.index.book.labels]

    @property
    def is_degraded(self) -> bool:
        """Whether it works without the model."""
        return self._ranker.degraded

    @property
    def model_fingerprint(self) -> str | None:
        """Fingerprint of the model that made the vectors; None without vectors."""
        return self._fitted.model if self._fitted else None

    def texts_and_vectors(self) -> tuple[list[str], FloatArray]:
        """Every text of the catalog and its vector as vectors are compared, float32 (n, k), of unit length.

        Raises:
            ValueError: the matcher is degraded and has no vectors.
        """
        if self._fitted is None:
            raise ValueError("a degraded matcher has no vectors; build or load one with an encoder first")
        return self._fitted.index.texts, self._fitted.vectors

    def match(self, phrase: str, top: int = DEFAULT_TOP) -> MatchResult:
        """Find the labels that a phrase means.

        Args:
            phrase: any text that is not blank.
            top: matches to return at most; 1 or more.

        Raises:
            PhraseError: the phrase is not text, or blank.
            ValueError: `top` is below 1.
        """
        _check(phrase, top)
        named = self._ranker.index.names.named(phrase)
        if named is not None:
            return self._certain(phrase, named, "exact")
        aliased = self._ranker.index.names.aliased(phrase)
        if len(aliased) == 1:
            return self._certain(phrase, aliased[0], "alias")
        ranking = self._ranker.rank(phrase)
        if aliased:
            return self._shared(phrase, aliased, ranking, top)
        order = ranking.order()
        confidences = ranking.confidences[order]
        decision = decide([float(value) for value in confidences], float(ranking.confidences[-1]))
        matches = [self._match(ranking, int(label), place) for place, label in enumerate(order[:top])]
        return MatchResult(phrase, decision, self.is_degraded, tuple(matches))

    def explain(self, phrase: str, top: int = DEFAULT_TOP) -> Explanation:
        """Lay open how a phrase is ranked: each signal's part, and the phrase of the catalog that is nearest.

        Raises:
            PhraseError: the phrase is not text, or blank.
            ValueError: `top` is below 1.
        """
        _check(phrase, top)
        index = self._ranker.index
        aliased = index.names.aliased(phrase)
        named = index.names.named(phrase)
        if named is None and len(aliased) == 1:
            named = aliased[0]
        return explain(index, phrase, self._ranker.rank(phrase), named, top)

    def _certain(self, phrase: str, label: int, matched_by: MatchedBy) -> MatchResult:
        return MatchResult(phrase, "resolved", self.is_degraded, (Match(self.names[label], 1.0, matched_by),))

    def _shared(self, phrase: str, aliased: list[int], ranking: Ranking, top: int) -> MatchResult:
        """An alias of several labels: the likelier first, with equal shares of the certainty; then the best others."""
        order = sorted(aliased, key=lambda label: -ranking.confidences[label])
        matches = [Match(self.names[label], 1 / len(aliased), "alias") for label in order]
        others = [int(label) for label in ranking.order() if label not in aliased]
        by: MatchedBy = "lexical" if self.is_degraded else "embedding"
        matches += [Match(self.names[label], 0.0, by) for label in others]
        return MatchResult(phrase, "ambiguous", self.is_degraded, tuple(matches[:top]))

    def _match(self, ranking: Ranking, label: int, place: int) -> Match:
        """`lexical` where the model alone would have put the label lower, or was not there."""
        by_model = not self.is_degraded and ranking.place_by_embedding(label) <= place
        return Match(self.names[label], ranking.confidence(label), "embedding" if by_model else "lexical")


def _check(phrase: object, top: int) -> None:
    if not isinstance(phrase, str):
        raise PhraseError(f"got {phrase!r} of type {type(phrase).__name__}; a phrase is a string; pass one")
    if not phrase.strip():
        raise PhraseError(f"got the blank phrase {phrase[:20]!r}; a phrase says something; describe what is wanted")
    if top < 1:
        raise ValueError(f"top is {top}; at least one match is asked for; pass 1 or more")
