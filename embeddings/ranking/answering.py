"""A catalog that answers phrases: its labels, their ranker, and the reading of messages in parts."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from embeddings.arrays import DoubleArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.errors import CoverageError, PhraseError
from embeddings.index.fitted_index import FittedIndex
from embeddings.labels.corpus import Corpus
from embeddings.labels.label import Label
from embeddings.ranking.decision import SHOWN, Costs, decide, expected_costs
from embeddings.ranking.explanation import Explanation, explain
from embeddings.ranking.match_result import (
    DEFAULT_TOP,
    CoverageSet,
    Decision,
    Match,
    MatchedBy,
    MatchResult,
    Note,
    check_coverage,
)
from embeddings.ranking.message import MessageReader, Reading
from embeddings.ranking.rankers import Ranker
from embeddings.ranking.ranking import Ranking


def check_query(phrase: object, top: int) -> None:
    """Refuse a phrase that cannot be matched.

    Raises:
        PhraseError: the phrase is not a string, or is blank.
        ValueError: `top` is below 1.
    """
    if not isinstance(phrase, str):
        raise PhraseError(f"got {phrase!r} of type {type(phrase).__name__}; a phrase must be a string; pass a string")
    if not phrase.strip():
        raise PhraseError(
            f"got the blank phrase {phrase[:20]!r}; a phrase must not be blank; describe what you look for"
        )
    if top < 1:
        raise ValueError(f"top is {top}; it must be at least 1; pass 1 or more")


@dataclass(frozen=True)
class Answerer:
    """Answers phrases with the labels of one catalog.

    Attributes:
        labels: the catalog's labels.
        degraded: whether rankings are made without the model.
        costs: what mistakes cost the caller.
    """

    labels: Sequence[Label]
    degraded: bool
    costs: Costs

    def named(
        self, phrase: str, label: int, by: MatchedBy, ranking: Ranking | None = None, top: int = 1
    ) -> MatchResult:
        """Answer the name or an alias of one label; the others of a ranking follow, likeliest first, each with 0."""
        others = [] if ranking is None else [int(other) for other in ranking.order() if other != label]
        matches = (self._match(label, 1.0, by), *(self._besides(other) for other in others[: top - 1]))
        return MatchResult(phrase, "resolved", self.degraded, matches)

    def shared(self, phrase: str, named: Sequence[int], by: MatchedBy, ranking: Ranking, top: int) -> MatchResult:
        """Answer a name or alias that several labels share: they come first, likeliest first, each with 1 / n."""
        order = sorted(named, key=lambda label: -ranking.confidences[label])
        matches = [self._match(label, 1 / len(named), by) for label in order]
        others = [int(label) for label in ranking.order() if label not in named]
        matches += [self._besides(label) for label in others]
        return MatchResult(phrase, "ambiguous", self.degraded, tuple(matches[:top]))

    def ranked(self, phrase: str, ranking: Ranking, notes: tuple[Note, ...], top: int) -> MatchResult:
        """Answer any other phrase with the likeliest labels and the decision of the lowest expected cost."""
        first, none = ranking.order()[: max(top, SHOWN)], float(ranking.confidences[-1])
        decision = decide(ranking.confidences[first].tolist(), none, self.costs)
        matches = tuple(self._at(place, label, ranking) for place, label in enumerate(first[:top].tolist()))
        return MatchResult(phrase, decision, self.degraded, matches, none, notes)

    def expected_costs(self, named: Sequence[int], ranking: Ranking) -> dict[Decision, float]:
        """Compute what each decision is expected to cost; labels that the phrase names share the certainty."""
        if named:
            return expected_costs([1 / len(named)] * len(named), 0.0, self.costs)
        confidences = [float(value) for value in ranking.confidences[ranking.order()]]
        return expected_costs(confidences, float(ranking.confidences[-1]), self.costs)

    def places(self, matches: Sequence[Match]) -> list[int]:
        """Return the positions in the catalog of the labels that were matched."""
        return [self._places[match.name, match.id] for match in matches]

    @cached_property
    def _places(self) -> dict[tuple[str, str], int]:
        return {(label.name, label.id): place for place, label in enumerate(self.labels)}

    def _besides(self, label: int) -> Match:
        """Make a match of a label that the phrase does not name, although it names another."""
        return self._match(label, 0.0, "lexical" if self.degraded else "embedding")

    def _at(self, place: int, label: int, ranking: Ranking) -> Match:
        """Make a match: `lexical` if the model alone would have ranked the label lower, or in degraded mode."""
        by_model = not self.degraded and ranking.place_by_embedding(label) <= place
        return self._match(label, ranking.confidence(label), "embedding" if by_model else "lexical")

    def _match(self, label: int, confidence: float, by: MatchedBy) -> Match:
        found = self.labels[label]
        return Match(found.name, confidence, by, found.id, found.metadata)


@dataclass(frozen=True)
class Examination:
    """One phrase, read once.

    Attributes:
        result: the match.
        explanation: how candidates and "none of them" were scored.
        expected_costs: what each decision was expected to cost; the match has the cheapest, unless the phrase is a name
            or an alias.
        ranking: what both were made from.
    """

    result: MatchResult
    explanation: Explanation
    expected_costs: Mapping[Decision, float]
    ranking: Ranking


Weigh = Callable[[str, Ranking], Ranking]
"""Adds further evidence to the ranking of a phrase."""


class AnsweringCatalog:
    """Answers phrases with the labels of one catalog, which never changes."""

    def __init__(
        self,
        corpus: Corpus,
        open_ranker: Callable[[], Ranker],
        fitted: FittedIndex | None,
        encoder: TextEncoder | None,
        costs: Costs,
    ) -> None:
        """Answer with a catalog.

        Args:
            corpus: the catalog's texts.
            open_ranker: opens what ranks its labels.
            fitted: the index, unless the catalog is degraded.
            encoder: embeds queries, unless the catalog is degraded.
            costs: what mistakes cost the caller.
        """
        self.corpus, self.fitted, self.encoder, self.costs = corpus, fitted, encoder, costs
        self._open_ranker = open_ranker
        self._answerer = Answerer(corpus.book.labels, fitted is None, costs)

    @cached_property
    def ranker(self) -> Ranker:
        """The ranker, opened for the first query, because a matcher that is only saved does not need it."""
        return self._open_ranker()

    @cached_property
    def _reader(self) -> MessageReader:
        return MessageReader(self.ranker, self.encoder)

    @cached_property
    def fingerprint(self) -> str:
        """Identifies all that the labels say: hex sha256."""
        value = json.dumps(self.corpus.book.to_dict(), ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def is_approximate(self) -> bool:
        """Whether the catalog was changed since it was built."""
        return self.fitted is not None and self.fitted.approximate

    def match(
        self,
        phrase: str,
        top: int | None,
        weigh: Weigh | None,
        coverage: float | None = None,
        in_clauses: bool = True,
    ) -> MatchResult:
        """See `Matcher.match`."""
        most = DEFAULT_TOP if top is None else top
        check_query(phrase, most)
        least = None if coverage is None else self._least(coverage)
        named, by = self.corpus.names.lookup(phrase)
        if len(named) == 1 and top in (None, 1) and coverage is None:
            return self._answerer.named(phrase, named[0], by)
        reading = self._read(phrase, named, in_clauses)
        if weigh and not named:
            reading = replace(reading, ranking=weigh(phrase, reading.ranking))
        if coverage is None or least is None:
            return self._answer(phrase, named, by, reading, most)
        within = self._within(self._shares(named, reading), coverage, least)
        result = self._answer(phrase, named, by, reading, max(most, len(within.labels)))
        return replace(result, within=within)

    def _within(self, confidences: DoubleArray, coverage: float, least: float) -> CoverageSet:
        """Return what has at least a probability, or else what is likeliest."""
        likely = np.flatnonzero(confidences >= least) if confidences.max() >= least else [confidences.argmax()]
        none = len(confidences) - 1
        inside = sorted((int(place) for place in likely if place != none), key=lambda place: -confidences[place])
        labels = [self.corpus.book.labels[place] for place in inside]
        return CoverageSet(coverage, [label.id or label.name for label in labels], none in likely)

    def _least(self, coverage: float) -> float:
        """Return the probability from which a label belongs to a set."""
        check_coverage(coverage)
        if self.fitted is None or self.fitted.held_out is None:
            why = "answers by words alone" if self.fitted is None else "has no examples"
            raise CoverageError(
                f"coverage {coverage:g} was asked of a catalog that {why}; it is read off examples that are held out "
                "when the catalog is built with a model; add examples, and build it again"
            )
        return self.fitted.held_out.least(coverage)

    def probabilities(self, phrase: str) -> DoubleArray:
        """Compute the probability of every label, and of none, last: float64 (labels + 1,)."""
        check_query(phrase, DEFAULT_TOP)
        named, _ = self.corpus.names.lookup(phrase)
        return self._shares(named, None if named else self._read(phrase, named))

    def _shares(self, named: Sequence[int], reading: Reading | None) -> DoubleArray:
        """Return the probabilities of a reading; labels that the phrase names share the certainty."""
        if reading is not None and not named:
            return reading.ranking.confidences
        found = np.zeros(len(self.corpus.book.labels) + 1)
        found[list(named)] = 1 / len(named)
        return found

    def examine(self, phrase: str, top: int | None, explained: int | None) -> Examination:
        """See `Matcher.examine`."""
        for number in (top, explained):
            check_query(phrase, DEFAULT_TOP if number is None else number)
        named, by = self.corpus.names.lookup(phrase)
        reading = self._read(phrase, named)
        most = top or (1 if len(named) == 1 else DEFAULT_TOP)
        result = self._answer(phrase, named, by, reading, most)
        ranking = reading.ranking
        labels = self._answerer.places(result.matches) if explained is None else ranking.order()[:explained].tolist()
        explanation = explain(self.corpus, phrase, ranking, named, labels)
        return Examination(
            result,
            replace(explanation, approximate=self.is_approximate),
            self._answerer.expected_costs(named, ranking),
            ranking,
        )

    def _read(self, phrase: str, named: Sequence[int], in_clauses: bool = True) -> Reading:
        """Rank every label for a phrase; one that is a name or an alias is not read in parts."""
        return Reading(self.ranker.rank(phrase)) if named else self._reader.read(phrase, in_clauses=in_clauses)

    def _answer(self, phrase: str, named: Sequence[int], by: MatchedBy, reading: Reading, top: int) -> MatchResult:
        if len(named) == 1:
            return self._answerer.named(phrase, named[0], by, reading.ranking, top)
        if named:
            return self._answerer.shared(phrase, named, by, reading.ranking, top)
        return self._answerer.ranked(phrase, reading.ranking, reading.notes, top)
