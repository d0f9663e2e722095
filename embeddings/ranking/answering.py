"""A catalog that answers phrases: its labels, their ranker, and the reading of messages in parts."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from embeddings.encoder.protocol import TextEncoder
from embeddings.index.fitted_index import FittedIndex
from embeddings.labels.corpus import Corpus
from embeddings.ranking.answer import Answerer, check_query
from embeddings.ranking.decision import Costs
from embeddings.ranking.examination import Examination
from embeddings.ranking.explanation import explain
from embeddings.ranking.match_result import DEFAULT_TOP, MatchedBy, MatchResult
from embeddings.ranking.message.mixture import Reading
from embeddings.ranking.message.reader import MessageReader
from embeddings.ranking.rankers import Ranker
from embeddings.ranking.ranking import Ranking

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
            encoder: embeds queries, likewise.
            costs: what mistakes cost the caller.
        """
        self.corpus, self.fitted = corpus, fitted
        self._open_ranker, self._encoder = open_ranker, encoder
        self._answerer = Answerer(corpus.book.labels, fitted is None, costs)

    @cached_property
    def ranker(self) -> Ranker:
        """The ranker, opened for the first query, because a matcher that is only saved does not need it."""
        return self._open_ranker()

    @cached_property
    def _reader(self) -> MessageReader:
        return MessageReader(self.ranker, self._encoder)

    @cached_property
    def fingerprint(self) -> str:
        """Identifies all that the labels say: hex sha256."""
        value = json.dumps(self.corpus.book.to_dict(), ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def is_approximate(self) -> bool:
        """Whether the catalog was changed since it was built."""
        return self.fitted is not None and self.fitted.approximate

    def match(self, phrase: str, top: int | None, weigh: Weigh | None) -> MatchResult:
        """See `Matcher.match`."""
        most = DEFAULT_TOP if top is None else top
        check_query(phrase, most)
        named, by = self.corpus.names.lookup(phrase)
        if len(named) == 1 and top in (None, 1):
            return self._answerer.named(phrase, named[0], by)
        reading = self._read(phrase, named)
        if weigh and not named:
            reading = replace(reading, ranking=weigh(phrase, reading.ranking))
        return self._answer(phrase, named, by, reading, most)

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

    def _read(self, phrase: str, named: Sequence[int]) -> Reading:
        """Rank every label for a phrase; one that is a name or an alias is not read in parts."""
        return Reading(self.ranker.rank(phrase)) if named else self._reader.read(phrase)

    def _answer(self, phrase: str, named: Sequence[int], by: MatchedBy, reading: Reading, top: int) -> MatchResult:
        if len(named) == 1:
            return self._answerer.named(phrase, named[0], by, reading.ranking, top)
        if named:
            return self._answerer.shared(phrase, named, by, reading.ranking, top)
        return self._answerer.ranked(phrase, reading.ranking, reading.notes, top)
