"""The matcher: ranks labels for any phrase, with calibrated confidences and a decision."""

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from embeddings.arrays import DoubleArray, FloatArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.engines.uri import is_vector_file
from embeddings.errors import PhraseError, StoreError, VectorFileError
from embeddings.index import vector_file
from embeddings.index.fitted_index import FittedIndex
from embeddings.index.held_out_scores import HeldOutScores
from embeddings.index.vector_file import naming_damage
from embeddings.labels.corpus import Corpus
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook, labels_called, with_label, without_label
from embeddings.ranking.answering import AnsweringCatalog, Examination, Weigh, check_query
from embeddings.ranking.decision import DEFAULT_COSTS, Costs
from embeddings.ranking.explanation import Explanation
from embeddings.ranking.match_result import DEFAULT_TOP, MatchResult
from embeddings.ranking.rankers import FullRanker, LexicalRanker, Ranker, check_ranker
from embeddings.text.normalization import fold

if TYPE_CHECKING:
    from embeddings.projection import Projection
    from embeddings.store_matcher import StoreMatcher
    from embeddings.training.build import Progress


def _several(phrases: Sequence[str]) -> Sequence[str]:
    """Return the phrases; a single string is refused, because its letters would be taken for phrases."""
    if isinstance(phrases, str):
        raise PhraseError(f"got the string {phrases[:40]!r}; phrases are a sequence of strings; wrap it in a list")
    return phrases


MAX_DRAWN: Final = 20_000
"""Phrases that a projection draws at most by default."""


class Matcher:
    """Matches phrases against one catalog. Safe to share between threads."""

    def __init__(
        self,
        corpus: Corpus,
        open_ranker: Callable[[], Ranker],
        fitted: FittedIndex | None = None,
        *,
        encoder: TextEncoder | None = None,
        costs: Costs = DEFAULT_COSTS,
    ) -> None:
        """Use `build`, `load` or `degraded` instead."""
        # Read once by each question, so that one catalog answers all of it.
        self._now = AnsweringCatalog(corpus, open_ranker, fitted, encoder, costs)
        self._changing = threading.Lock()

    @classmethod
    def _of(cls, fitted: FittedIndex, encoder: TextEncoder, costs: Costs) -> Self:
        return cls(fitted.corpus, lambda: FullRanker(fitted, encoder), fitted, encoder=encoder, costs=costs)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the catalog and its vectors, and where the encoder's model is."""
        now = self._now
        if now.fitted is None or now.encoder is None:
            return partial(type(self).degraded, costs=now.costs), (now.corpus.book,)
        return type(self)._of, (now.fitted, now.encoder, now.costs)

    @property
    def _corpus(self) -> Corpus:
        return self._now.corpus

    @property
    def _fitted(self) -> FittedIndex | None:
        return self._now.fitted

    @classmethod
    def build(
        cls,
        book: PhraseBook,
        encoder: TextEncoder,
        progress: "Progress | None" = None,
        embedder: TextEncoder | None = None,
        *,
        costs: Costs = DEFAULT_COSTS,
    ) -> Self:
        """Embed a catalog, fit its ranking and calibrate it. Takes seconds for thousands of phrases.

        Args:
            book: the catalog.
            encoder: embeds the catalog now and the queries later.
            progress: called with the number of texts embedded so far and the number of all texts.
            embedder: embeds the catalog in place of `encoder`, for example the same model with more threads.
            costs: what mistakes cost the caller; decisions are those of the lowest expected cost.
        """
        # Imported here because answering queries does not need the training code.
        from embeddings.training.build import build_index

        return cls._of(build_index(book, embedder or encoder, progress), encoder, costs)

    @classmethod
    def load(
        cls,
        path: Path | str,
        encoder: TextEncoder,
        book: PhraseBook | None = None,
        *,
        costs: Costs = DEFAULT_COSTS,
    ) -> Self:
        """Load a vector file.

        Args:
            path: a file written by `save`.
            encoder: the encoder that made its vectors.
            book: the catalog that it must have been built from (default: the catalog stored in the file).
            costs: as for `build`.

        Raises:
            VectorFileError: the file is missing, damaged, stale, built with another model, or cannot answer a trial
                query.
        """
        fitted = vector_file.read(Path(path), encoder, book)
        with naming_damage(Path(path)):
            matcher = cls._of(fitted, encoder, costs)
            matcher.try_out()
        return matcher

    @staticmethod
    def open(uri: str, encoder: TextEncoder, *, costs: Costs = DEFAULT_COSTS) -> "Matcher | StoreMatcher":
        """Open the catalog in a store that `build-vectors --store` wrote.

        Args:
            uri: where an engine is, or the name of a file; see `embeddings.engines.uri`. A file whose name ends
                with .npz is the vector file, which is loaded.
            encoder: the encoder that made its vectors.
            costs: as for `build`.

        Returns:
            A matcher that reads of the catalog what a phrase needs, and sees what other processes change; for the
            vector file, one with all of it in memory.

        Raises:
            StoreError: nothing is stored there, it was made with another model, or the engine is away.
        """
        if is_vector_file(uri):
            try:
                return Matcher.load(uri, encoder, costs=costs)
            except VectorFileError as error:
                raise StoreError(str(error)) from error
        # Imported here because most catalogs are in memory.
        from embeddings.store_matcher import StoreMatcher

        return StoreMatcher.open(uri, encoder, costs=costs)

    @classmethod
    def whole_of(cls, stored: "StoreMatcher") -> Self | None:
        """Take up all labels of a store, if they are few enough to be read as a whole; None if they are not.

        The matcher stays as it is when the store changes.

        Raises:
            StoreError: the store cannot be used.
        """
        now = stored.whole()
        if now is None:
            return None
        return cls(now.corpus, lambda: now.ranker, now.fitted, encoder=now.encoder, costs=now.costs)

    @classmethod
    def degraded(cls, book: PhraseBook, *, costs: Costs = DEFAULT_COSTS) -> Self:
        """Make a matcher without model or vectors, calibrated to match by names, aliases, substrings and spelling.

        Args:
            book: the catalog.
            costs: as for `build`.
        """
        from embeddings.training.build import fit_lexical_weights

        corpus = Corpus.build(book)
        weights = fit_lexical_weights(corpus)
        return cls(corpus, lambda: LexicalRanker(corpus, weights), costs=costs)

    def update(self, book: PhraseBook, progress: "Progress | None" = None, embedder: TextEncoder | None = None) -> Self:
        """Make a matcher for a changed catalog, embedding only new texts. This one stays as it is and can be used.

        The whitening of the vectors is kept. Up to 2,000 phrases, all else is fitted afresh. With more, the weights
        that make confidences probabilities are kept, too, and the ranking head is corrected where phrases changed,
        unless more than 1,500 did. So the new matcher `is_approximate`; build anew when much has changed.

        Args:
            book: the whole catalog as it is now; what it lacks is removed.
            progress: called with the number of new texts embedded so far and the number of all new texts.
            embedder: embeds the new texts in place of the matcher's encoder, for example the same model with more
                threads.

        Returns:
            A matcher with the same encoder and costs; this one if nothing changed.

        Raises:
            ValueError: the matcher is degraded and has no vectors.
            ModelError: the embedder is another model than the one that made the vectors.
        """
        fitted, encoder = self._fitted, self._now.encoder
        if fitted is None or encoder is None:
            raise ValueError("a degraded matcher has no vectors to update; build one with an encoder first")
        if book == fitted.corpus.book:
            return self
        # Imported here because answering queries does not need the training code.
        from embeddings.training.update import update_index

        return self._of(update_index(fitted, book, embedder or encoder, progress), encoder, self._now.costs)

    def with_costs(self, costs: Costs) -> Self:
        """Return a matcher of the same catalog that decides by other costs; nothing is embedded or read."""
        fitted, encoder = self._fitted, self._now.encoder
        if fitted is None or encoder is None:
            return self.degraded(self.book, costs=costs)
        return self._of(fitted, encoder, costs)

    def with_labelled(self, phrases: Sequence[str], right: Sequence[Collection[str]]) -> Self:
        """Return a matcher of the same catalog whose sets hold for phrases like these, and not like its examples.

        `save` keeps this; a matcher that is updated or built anew has to be given the phrases again.

        Args:
            phrases: as they come in, those that fit nothing among them; 19 or more for a coverage of 0.95.
            right: of each phrase, the names or ids of the labels that are right; none if nothing fits.

        Raises:
            PhraseError: `phrases` is a string, or one of them is not a string or is blank.
            ValueError: there are no phrases, `right` has another length or a label that the catalog lacks, or the
                matcher is degraded.
        """
        fitted, encoder = self._fitted, self._now.encoder
        if fitted is None or encoder is None:
            raise ValueError("a degraded matcher makes no sets; build or load one with an encoder first")
        held_out = HeldOutScores.of_labelled(self.probabilities(phrases), right, self.book.labels)
        return self._of(replace(fitted, held_out=held_out), encoder, self._now.costs)

    def put(self, label: Label) -> None:
        """Add a label, or replace the one with its id or, without an id, its name, in this matcher; see `update`.

        Answers under way still come from the catalog as it was. Nothing is written; `save` does that.

        Raises:
            PhraseBookError: the label cannot be used, or another one has its name and not both have ids.
            ValueError: the matcher is degraded and has no vectors.
        """
        with self._changing:
            self._now = self.update(with_label(self.book, label))._now

    def remove(self, name: str) -> int:
        """Remove the labels with this id or name from this matcher; see `put`. Returns how many there were.

        Raises:
            PhraseBookError: no label would be left.
            ValueError: the matcher is degraded and has no vectors.
        """
        with self._changing:
            before = self.size
            self._now = self.update(without_label(self.book, name))._now
            return before - self.size

    def try_out(self) -> None:
        """Rank a trial phrase, so that a broken matcher is found before the first query.

        Raises:
            Exception: of any type, if ranking fails; ValueError if the confidences do not add up to 1.
        """
        now = self._now
        check_ranker(now.ranker, now.corpus.book.labels[0].name)

    def save(self, path: Path | str) -> None:
        """Write the vector file, atomically.

        Raises:
            ValueError: the matcher is degraded and has no vectors.
            OSError: the folder cannot be written.
        """
        fitted = self._fitted
        if fitted is None:
            raise ValueError("a degraded matcher has no vectors to save; build one with an encoder first")
        vector_file.write(Path(path), fitted)

    @property
    def book(self) -> PhraseBook:
        """The catalog."""
        return self._corpus.book

    @property
    def names(self) -> list[str]:
        """The labels' names, in the order of the catalog."""
        return [label.name for label in self._corpus.book.labels]

    @property
    def size(self) -> int:
        """Number of labels."""
        return len(self._corpus.book.labels)

    @property
    def phrase_count(self) -> int:
        """Number of texts of the catalog that are compared with a query, without the built-in background."""
        return sum(phrase.kind != "background" for phrase in self._corpus.phrases)

    @property
    def shared_names(self) -> frozenset[str]:
        """Names that several labels have, ignoring case and punctuation; these labels are told apart by their ids."""
        corpus = self._corpus
        shared = corpus.names.shared
        names = (label.name for label in corpus.book.labels)
        return frozenset(name for name in names if fold(name) in shared) if shared else shared

    @property
    def is_degraded(self) -> bool:
        """Whether the matcher works without the model."""
        return self._fitted is None

    @property
    def is_approximate(self) -> bool:
        """Whether the catalog was changed by `update` since it was built, so that the fit is not to all of it."""
        return self._now.is_approximate

    @property
    def model_fingerprint(self) -> str | None:
        """Fingerprint of the model that made the vectors; None without vectors."""
        fitted = self._fitted
        return fitted.model if fitted else None

    @property
    def catalog_fingerprint(self) -> str:
        """Identifies all that the labels say, with their ids and metadata: hex sha256."""
        return self._now.fingerprint

    def labels(self, name: str) -> list[Label]:
        """Return the labels with exactly this id or name.

        If there are none, return those with this name but for its spelling.
        """
        return labels_called(self.book.labels, name)

    def close(self) -> None:
        """Do nothing: all is in memory. The matcher over a store lets go of its connections."""

    def texts_and_vectors(self) -> tuple[list[str], FloatArray]:
        """Return every text of the catalog and the vectors used for comparison, float32 (n, k), of unit length.

        Raises:
            ValueError: the matcher is degraded and has no vectors.
        """
        fitted = self._fitted
        if fitted is None:
            raise ValueError("a degraded matcher has no vectors; build or load one with an encoder first")
        return fitted.corpus.texts, fitted.vectors

    def projection(self, most: int = MAX_DRAWN) -> "Projection":
        """Draw the catalog in two dimensions; takes half a second for 20,000 phrases. Nothing of it is kept.

        Args:
            most: maximum number of phrases that are drawn.

        Raises:
            ValueError: the matcher is degraded and has no vectors.
        """
        # Imported here because answering queries does not need it.
        from embeddings.projection import Projection

        fitted = self._fitted
        if fitted is None:
            raise ValueError("a degraded matcher has no vectors; build or load one with an encoder first")
        return Projection.of(fitted.corpus, fitted.vectors, most)

    def match(
        self,
        phrase: str,
        top: int | None = None,
        weigh: Weigh | None = None,
        *,
        coverage: float | None = None,
        in_clauses: bool = True,
    ) -> MatchResult:
        """Find the labels that a phrase can mean.

        Args:
            phrase: any text that is not blank.
            top: maximum number of matches to return; 1 or more (default: 3, but a phrase that is the name or alias of
                one label is answered with that label alone, which needs no ranking and so takes microseconds).
            weigh: adds further evidence to the ranking of a phrase that is no name or alias.
            coverage: also return the smallest set that has what is right with this probability, "none" included, as
                `within`; its labels are among the matches. It holds for phrases like the catalog's examples, of which a
                fifth fit no label, or what `outOfScopeShare` says, or for queries like those of `with_labelled`.
            in_clauses: whether a phrase of several clauses is also read as two needs; without, it is answered sooner.

        Raises:
            PhraseError: the phrase is not a string, or is blank.
            ValueError: `top` is below 1.
            CoverageError: the coverage makes no sense, or the catalog has too few examples for it.
        """
        return self._now.match(phrase, top, weigh, coverage, in_clauses)

    def match_many(
        self, phrases: Sequence[str], top: int | None = None, progress: "Progress | None" = None
    ) -> list[MatchResult]:
        """Match phrases as `match` does, each distinct one once, all with the catalog as it is now.

        Texts are embedded one by one, as those of one batch would move each other's vectors in an 8-bit model.

        Args:
            phrases: texts that are not blank.
            top: as for `match`.
            progress: called with the number of phrases matched so far and the number of all phrases.

        Raises:
            PhraseError: `phrases` is a string, or one of them is not a string or is blank.
            ValueError: `top` is below 1.
        """
        now, found = self._now, dict[str, MatchResult]()
        for done, phrase in enumerate(_several(phrases), start=1):
            check_query(phrase, DEFAULT_TOP if top is None else top)
            if phrase not in found:
                found[phrase] = now.match(phrase, top, None)
            if progress:
                progress(done, len(phrases))
        return [found[phrase] for phrase in phrases]

    def probabilities(self, phrases: Sequence[str]) -> DoubleArray:
        """Compute the probability of every label for each phrase, and of none.

        Returns:
            float64 (len(phrases), labels + 1), in the order of the catalog, "none of them" last; each row adds up to 1.

        Raises:
            PhraseError: `phrases` is a string, or one of them is not a string or is blank.
        """
        now = self._now
        rows = [now.probabilities(phrase) for phrase in _several(phrases)]
        return np.array(rows, dtype=np.float64).reshape(len(rows), len(now.corpus.book.labels) + 1)

    def estimate_share(self, phrases: Sequence[str]) -> float:
        """Estimate the share of messages that no label fits, to state it as the catalog's `out_of_scope_share`.

        Args:
            phrases: as they come in, a hundred or more, unlabelled.

        Raises:
            PhraseError: `phrases` is a string or empty, or one of them is not a string or is blank.
        """
        # Imported here because answering queries does not need it.
        from embeddings.metrics import estimate_share

        if not phrases:
            raise PhraseError("there are no phrases ([]); an estimate needs some, at best hundreds; give messages")
        return estimate_share(self.probabilities(phrases)[:, -1], max(self.book.assumed_share, 0.001))

    def explain(self, phrase: str, top: int = DEFAULT_TOP) -> Explanation:
        """Explain how a phrase is ranked: what each signal adds to a candidate's score, and its nearest phrase.

        Raises:
            PhraseError: the phrase is not a string, or is blank.
            ValueError: `top` is below 1.
        """
        return self.examine(phrase, explained=top).explanation

    def examine(
        self, phrase: str, top: int | None = None, explained: int | None = None, beside: Sequence[str] = ()
    ) -> Examination:
        """Match a phrase and explain it from one reading.

        Args:
            phrase: any text that is not blank.
            top: as for `match`.
            explained: number of candidates to explain, best first by the words alone (default: the matches).
            beside: names or ids of labels that are ranked in any case, as all are.

        Raises:
            PhraseError: the phrase is not a string, or is blank.
            ValueError: `top` or `explained` is below 1.
        """
        del beside  # All labels are ranked.
        return self._now.examine(phrase, top, explained)
