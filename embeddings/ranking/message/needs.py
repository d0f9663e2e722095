"""Reads a message that may state several needs, clause by clause beside the whole."""

import math
from itertools import combinations
from typing import Final, NamedTuple

from embeddings.ranking.message.mixture import Reading, mix
from embeddings.ranking.ranking import Ranking
from embeddings.text.message.clauses import Clause

MOST_CLAUSES: Final = 6
"""Clauses of one message that are read; each costs an encoding. A message with more has one need."""

LEAST_SURE: Final = (0.92, 0.85, 0.65)
"""Confidence of the less sure of two clauses from which they are two needs, if none, one or both have the form of a
request: "my bag is lost, ..." may be the reason for what follows.

Chosen on 40 messages with two needs, 44 with one and the benchmarks: of the 40, 36 have both among the first three and
3 are resolved; of the 1,340 held-out queries 10 are noted, 3 of which have two right answers.
"""

LEAST_SURE_ADDED: Final = 0.5
"""The same where the second clause says that it is one more need, for example with "also"."""

_STEEPNESS: Final = 20.0
"""How fast the chance of two needs rises with that confidence: from 1/8 to 7/8 within 0.2."""


class _Pair(NamedTuple):
    """Two clauses with different needs, and the chance that the message means both."""

    first: Ranking
    second: Ranking
    chance: float


def read_needs(parts: list[Clause], whole: Ranking, rankings: list[Ranking]) -> Reading:
    """Read a message that is not long; one of a single clause is read as a whole.

    Args:
        parts: the clauses of the message.
        whole: its ranking.
        rankings: those of the first `MOST_CLAUSES` clauses, if there are several.
    """
    if not 2 <= len(parts) <= MOST_CLAUSES:
        return Reading(whole)
    pair = _likeliest(parts, rankings)
    if pair is None or pair.chance < 1 / 2:
        return Reading(whole)
    shares = [1 - pair.chance, pair.chance / 2, pair.chance / 2]
    ranking = mix([whole, pair.first, pair.second], shares, whole.read_as)
    return Reading(ranking, ("several_needs",))


def _likeliest(parts: list[Clause], rankings: list[Ranking]) -> _Pair | None:
    pairs = [
        _Pair(one, other, _chance(first, second, one, other))
        for (first, one), (second, other) in combinations(zip(parts, rankings, strict=True), 2)
        if one.best != other.best
    ]
    return max(pairs, key=lambda pair: pair.chance, default=None)


def _chance(first: Clause, second: Clause, one: Ranking, other: Ranking) -> float:
    """The chance that two clauses state two needs: the surer the less sure one, and the plainer their form."""
    least = min(one.confidence(one.best), other.confidence(other.best))
    return 1 / (1 + math.exp(-_STEEPNESS * (least - _least_needed(first, second))))


def _least_needed(first: Clause, second: Clause) -> float:
    return LEAST_SURE_ADDED if second.added else LEAST_SURE[first.asks + second.asks]
