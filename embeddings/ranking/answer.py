"""Answers a phrase from a ranking, or from the labels that it names."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from embeddings.errors import PhraseError
from embeddings.labels.label import Label
from embeddings.ranking.decision import SHOWN, Costs, decide, expected_costs
from embeddings.ranking.match_result import Decision, Match, MatchedBy, MatchResult, Note
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
