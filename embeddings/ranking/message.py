"""Reads a message of several parts: long ones, several needs, what is not wanted or out of scope, other languages."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from embeddings.arrays import DoubleArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.labels.corpus import Corpus
from embeddings.ranking.match_result import Note
from embeddings.ranking.rankers import RankClause, Ranker
from embeddings.ranking.ranking import SUREST, Ranking
from embeddings.text.clauses import Clause, clause, is_long, is_request, pieces, windows
from embeddings.text.language import Script, foreign_script
from embeddings.text.negation import Refusal, is_negative, refusals
from embeddings.text.normalization import fold


@dataclass(frozen=True)
class Reading:
    """A message as it was read.

    Attributes:
        ranking: the probabilities; its signals are those of the part that counts most.
        notes: what the ranking does not say.
    """

    ranking: Ranking
    notes: tuple[Note, ...] = ()

    def noted(self, *notes: Note) -> "Reading":
        """Return the reading with further notes."""
        return replace(self, notes=tuple(dict.fromkeys((*self.notes, *notes))))


def mix(rankings: Sequence[Ranking], weights: Sequence[float], read_as: str) -> Ranking:
    """Average probabilities: the message's need is that of one part, and a weight is the chance that it is that part.

    Args:
        rankings: at least one.
        weights: one for each, 0 or more, not all 0.
        read_as: the whole message.
    """
    shares = np.asarray(weights, dtype=np.float64)
    shares = shares / shares.sum()
    main = rankings[int(np.argmax(shares))]
    return replace(
        main,
        confidences=_average([ranking.confidences for ranking in rankings], shares),
        by_embedding=_mixed_embedding(rankings, shares),
        read_as=read_as,
        rest=replace(main.rest, confidences=_average([ranking.rest.confidences for ranking in rankings], shares)),
    )


def _average(confidences: Sequence[DoubleArray], shares: DoubleArray) -> DoubleArray:
    return sum(
        (share * each for share, each in zip(shares, confidences, strict=True)), start=np.zeros_like(confidences[0])
    )


def _mixed_embedding(rankings: Sequence[Ranking], shares: DoubleArray) -> DoubleArray | None:
    total = None
    for share, ranking in zip(shares, rankings, strict=True):
        if ranking.by_embedding is None:
            return None
        raised = np.exp(ranking.by_embedding - ranking.by_embedding.max())
        part = share * raised / raised.sum()
        total = part if total is None else total + part
    return total


Rank = Callable[[Sequence[str]], list[Ranking]]
"""Ranks every label for each of several texts."""


def rank_with(ranker: Ranker) -> Rank:
    """Return a function that ranks texts with a ranker."""
    return lambda texts: [ranker.rank(text) for text in texts]


def rank_as_typed(ranker: Ranker) -> Rank:
    """Return a function that ranks the windows of a long message, which has enough correct words to be understood."""
    return lambda texts: [ranker.rank(text, as_typed=True) for text in texts]


MAX_CLAUSES: Final = 6
"""Clauses of one message that are read; each costs an encoding. A message with more has one need."""

MIN_CONFIDENCE: Final = (0.92, 0.85, 0.65)
"""Confidence of the less sure of two clauses from which they are two needs, if none, one or both have the form of a
request: "my bag is lost, ..." may be the reason for what follows.

Chosen on 40 messages with two needs, 44 with one and the benchmarks: of the 40, 36 have both among the first three and
3 are resolved; of the 1,340 held-out queries 10 are noted, 3 of which have two right answers.
"""

MIN_CONFIDENCE_ADDED: Final = 0.5
"""The same where the second clause says that it is one more need, for example with "also"."""

_STEEPNESS: Final = 20.0
"""How fast the chance of two needs rises with that confidence: from 1/8 to 7/8 within 0.2."""


class _Pair(NamedTuple):
    """Two clauses with different needs, and the chance that the message means both."""

    first: Ranking
    second: Ranking
    chance: float


def read_needs(parts: list[Clause], whole: Ranking, rank_clause: RankClause) -> Reading:
    """Read a message that is not long; one of a single clause is read as a whole.

    Args:
        parts: the clauses of the message; of a single one, none are needed.
        whole: its ranking.
        rank_clause: ranks one of the first `MAX_CLAUSES` clauses.
    """
    if not 2 <= len(parts) <= MAX_CLAUSES:
        return Reading(whole)
    pair = _likeliest(parts, cache(rank_clause))
    if pair is None:
        return Reading(whole)
    shares = [1 - pair.chance, pair.chance / 2, pair.chance / 2]
    ranking = mix([whole, pair.first, pair.second], shares, whole.read_as)
    return Reading(ranking, ("several_needs",))


def _likeliest(parts: list[Clause], rank_clause: RankClause) -> _Pair | None:
    """Return the clauses that most likely are two needs; None if no two are it likelier than not.

    The less sure clause decides, so the longer of two is ranked only if the shorter, which mostly says less, is sure.
    """
    pairs = []
    for places in combinations(range(len(parts)), 2):
        needed = _least_needed(*(parts[place] for place in places))
        if all(_sureness(rank_clause(place)) >= needed for place in sorted(places, key=lambda at: len(parts[at].text))):
            one, other = map(rank_clause, places)
            chance = _chance(min(_sureness(one), _sureness(other)) - needed)
            pairs += [_Pair(one, other, chance)] if one.best != other.best else []
    return max(pairs, key=lambda pair: pair.chance, default=None)


def _sureness(ranking: Ranking) -> float:
    return ranking.confidence(ranking.best)


def _chance(surplus: float) -> float:
    """Return the chance that two clauses state two needs: the surer the less sure one, and the plainer their form."""
    return 1 / (1 + math.exp(-_STEEPNESS * surplus))


def _least_needed(first: Clause, second: Clause) -> float:
    return MIN_CONFIDENCE_ADDED if second.added else MIN_CONFIDENCE[first.asks + second.asks]


SURE: Final = 0.5
"""Confidence from which the refused words are taken to name a label. Below, they only describe the need."""

KEPT: Final = 0.5
"""Share of its probability that a refused label keeps if the message would resolve to it all the same."""


class Refused(NamedTuple):
    """The parts of a message that the speaker refuses.

    Attributes:
        rest: the message without it; empty if nothing else is said.
        shares: float64 (labels + 1,), how surely each label is refused; 0 for "none".
    """

    rest: str
    shares: DoubleArray


def read_refused(text: str, corpus: Corpus, rank: Rank) -> Refused | None:
    """Find the labels that a message refuses; None if there are none."""
    rest, found = refusals(text)
    if not found:
        return None
    shares = np.zeros(corpus.spans.labels + 1)
    for refusal in found:
        label, share = _refused_label(refusal, corpus, rank)
        shares[label] = max(shares[label], share)
    return Refused(rest, shares) if shares.any() else None


def without(refused: Refused, rest: Ranking | None, whole: Ranking) -> Ranking:
    """Take the refused labels out of a ranking.

    Args:
        refused: what is refused.
        rest: the ranking of the rest of the message, if it says something.
        whole: the ranking of the whole message; as far as the rest means no label, it counts instead.
    """
    if rest is not None:
        unknown = float(rest.confidences[-1])
        whole = mix([rest, _scaled(whole, 1 - refused.shares)], [1 - unknown, unknown], whole.read_as)
    taken = whole.confidences * refused.shares * (1 - KEPT)
    confidences = whole.confidences - taken
    confidences[-1] += taken.sum()
    return replace(whole, confidences=confidences)


def _scaled(ranking: Ranking, factors: DoubleArray) -> Ranking:
    return ranking.in_proportion(ranking.confidences * factors, ranking.rest.confidences)


def _refused_label(refusal: Refusal, corpus: Corpus, rank: Rank) -> tuple[int, float]:
    """Return the label that a refusal names, and how surely.

    A label whose own phrases are negative, such as "I don't want to approve each command" for permissions, is meant.
    """
    what, said = rank([refusal.what, refusal.said])
    label, share = what.best, what.confidence(what.best)
    nearest, _ = corpus.nearest_phrase(label, said.nearness)
    if share < SURE or (nearest.kind == "phrasing" and is_negative(nearest.text)):
        return label, 0.0
    return label, share


_LABELS: Final = 1 - SUREST
"""Probability that the labels share: as sure as a match that is not an exact name can be."""


class OutsideReader:
    """Compares messages with the out-of-scope phrases of a catalog, ignoring case and punctuation."""

    def __init__(self, corpus: Corpus) -> None:
        """Compare with a catalog's own out-of-scope phrases; the background is not among them."""
        self._corpus = corpus

    def lists(self, text: str) -> bool:
        """Return whether the message is an out-of-scope phrase, and not also a phrase of a label."""
        folded = fold(text)
        return folded in self._outside and folded not in self._inside

    @cached_property
    def _outside(self) -> frozenset[str]:
        whole = self._corpus.whole
        return whole.outside if whole else frozenset(map(fold, self._corpus.book.out_of_scope))

    @cached_property
    def _inside(self) -> frozenset[str]:
        """The refused texts that are phrases of a label, too."""
        own = (phrase.text for phrase in self._corpus.phrases if phrase.label < self._corpus.spans.labels)
        return self._outside.intersection(map(fold, own))


def as_outside(ranking: Ranking) -> Ranking:
    """Return the probabilities of a message that fits no label; the order of the labels stays."""
    confidences = ranking.confidences.copy()
    factor = _LABELS / max(float(confidences[:-1].sum()) + ranking.rest.total, _LABELS)
    confidences[:-1] *= factor
    rest = replace(ranking.rest, confidences=ranking.rest.confidences * factor)
    confidences[-1] = 1 - confidences[:-1].sum() - rest.total
    return replace(ranking, confidences=confidences, rest=rest)


MEASURED: Final[dict[Script, tuple[float, float]]] = {"latin": (1.5, 0.1), "other": (2.5, 0.1)}
"""Temperature of the probabilities, and the factor of "none", for messages in other languages, by their script.

Chosen on 172 queries in 26 languages over the shipped catalog and two small ones, 11 of them out of scope. Of 127 in
the Latin script 40% are right first (49% on the shipped catalog, 24% on the others), with a mean confidence of 0.15
without these and 0.21 with them; of 45 in other scripts 9%, with 0.04 and 0.07. None is resolved wrongly.
"""

_SAMPLED: Final = 100
"""Phrases of the catalog that are looked at to tell whether it is English."""


class EnglishReader:
    """Recognizes messages that are not English, for a model and a catalog that are."""

    def __init__(self, corpus: Corpus, knows: Callable[[str], bool]) -> None:
        """Compare with a catalog.

        Args:
            corpus: the catalog.
            knows: tells whether the model knows a word.
        """
        self._corpus = corpus
        self._knows = knows

    def foreign(self, text: str) -> Script | None:
        """Tell the script of a message that is not English; None if it is, or if the catalog is not English either."""
        script = foreign_script(text, self._knows)
        return script if script and self._english_catalog else None

    @cached_property
    def _english_catalog(self) -> bool:
        if self._corpus.whole:
            return self._corpus.whole.english
        texts = [phrase.text for phrase in self._corpus.phrases if phrase.kind != "background"]
        return mostly_english(texts, self._knows)


def mostly_english(texts: Sequence[str], knows: Callable[[str], bool]) -> bool:
    """Return whether most of a sample of a catalog's texts are English."""
    sample = texts[:: max(1, len(texts) // _SAMPLED)]
    return sum(foreign_script(text, knows) is None for text in sample) * 2 > len(sample)


def as_measured(ranking: Ranking, script: Script) -> Ranking:
    """Return the probabilities as measured for messages in other languages; the order of the labels stays."""
    temperature, none_factor = MEASURED[script]
    with np.errstate(divide="ignore"):
        utilities = np.log(ranking.confidences) / temperature
        rest = np.log(ranking.rest.confidences) / temperature
    utilities[-1] += np.log(none_factor)
    top = utilities.max()
    return ranking.in_proportion(np.exp(utilities - top), np.exp(rest - top))


REQUEST: Final = 10.0
"""How many times likelier a window with the form of a request is to hold the need."""

LAST: Final = 5.0
"""How many times likelier the last window is to hold the need."""

SURENESS: Final = 3
"""Power of a window's highest confidence in its weight: an aside resembles several labels a little.

With these three, of 32 messages of 300 words that end with the need all are right first and 27 resolved; of 32 with the
need in the middle 30 and 20. None is resolved wrongly. With no weights, 18 of either kind are right first.
"""

BOTH_SURE: Final = 0.8
"""Confidence from which two requests for different labels are two needs."""

_COURTESY: Final = re.compile(
    r"^\W*(?:many |kind |best |warm |with )*"
    r"(?:thanks|thank you|regards|cheers|sincerely|yours|greetings|bye|have a (?:nice|good|great))\b",
    re.IGNORECASE,
)


def read_story(text: str, rank: Rank) -> Reading:
    """Read a long message."""
    cut = windows(text)
    texts = [window for window in cut.texts if not _COURTESY.match(window)] or list(cut.texts)
    rankings = rank(texts)
    weights = _weights(texts, rankings)
    reading = Reading(mix(rankings, weights, text), ("truncated",) if cut.truncated else ())
    return reading.noted("several_needs") if _several(texts, rankings) else reading


def _weights(texts: Sequence[str], rankings: Sequence[Ranking]) -> list[float]:
    weights = [
        (1 - float(ranking.confidences[-1])) * ranking.confidence(ranking.best) ** SURENESS * _request_weight(text)
        for text, ranking in zip(texts, rankings, strict=True)
    ]
    weights[-1] *= LAST
    return weights if sum(weights) > 0 else [1.0] * len(weights)


def _request_weight(text: str) -> float:
    return REQUEST if is_request(text) else 1.0


def _several(texts: Sequence[str], rankings: Sequence[Ranking]) -> bool:
    sure = {
        ranking.best
        for text, ranking in zip(texts, rankings, strict=True)
        if is_request(text) and ranking.confidence(ranking.best) >= BOTH_SURE
    }
    return len(sure) > 1


class MessageReader:
    """Reads messages with a ranker. Safe to share between threads."""

    def __init__(self, ranker: Ranker, encoder: TextEncoder | None = None) -> None:
        """Read with a ranker.

        Args:
            ranker: ranks a text for every label.
            encoder: the ranker's; None without the model.
        """
        self._ranker = ranker
        self._rank = rank_with(ranker)
        self._rank_as_typed = rank_as_typed(ranker)
        self._outside = OutsideReader(ranker.corpus)
        english = encoder is not None and tuple(encoder.languages) == ("en",)
        self._english = EnglishReader(ranker.corpus, encoder.knows) if encoder is not None and english else None

    def read(self, text: str, *, in_clauses: bool = True) -> Reading:
        """Rank every label for a message that is not blank; its clauses are compared if they may be several needs."""
        if self._outside.lists(text):
            return Reading(as_outside(self._ranker.rank(text)))
        reading = self._read_wanted(text, in_clauses)
        script = self._english.foreign(text) if self._english else None
        if script is None:
            return reading
        return Reading(as_measured(reading.ranking, script), reading.notes).noted("not_english")

    def _read_wanted(self, text: str, in_clauses: bool) -> Reading:
        refused = read_refused(text, self._ranker.corpus, self._rank)
        if refused is None:
            return self._read_all(text, in_clauses)
        whole = self._read_all(text, in_clauses) if is_long(text) else Reading(self._rank([text])[0])
        rest = self._read_all(refused.rest, in_clauses) if refused.rest else None
        ranking = without(refused, rest.ranking if rest else None, whole.ranking)
        return Reading(ranking, rest.notes if rest else ()).noted("negated")

    def _read_all(self, text: str, in_clauses: bool) -> Reading:
        if is_long(text):
            return read_story(text, self._rank_as_typed)
        found = pieces(text) if in_clauses else []
        parts = [clause(piece) for piece in found] if len(found) > 1 else []
        compared = [part.text for part in parts[:MAX_CLAUSES]]
        whole, rank_clause = self._ranker.rank_clauses(text, compared)
        return read_needs(parts, whole, rank_clause)
