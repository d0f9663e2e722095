"""Reads a message that may state several needs, clause by clause beside the whole."""

import math
from functools import cache
from itertools import combinations
from typing import Final, NamedTuple

from embeddings.ranking.message.mixture import Reading, mix
from embeddings.ranking.rankers import RankClause
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


def read_needs(parts: list[Clause], whole: Ranking, rank_clause: RankClause) -> Reading:
    """Read a message that is not long; one of a single clause is read as a whole.

    Args:
        parts: the clauses of the message; of a single one, none are needed.
        whole: its ranking.
        rank_clause: ranks one of the first `MOST_CLAUSES` clauses.
    """
    if not 2 <= len(parts) <= MOST_CLAUSES:
        return Reading(whole)
    pair = _likeliest(parts, cache(rank_clause))
    if pair is None:
        return Reading(whole)
    shares = [1 - pair.chance, pair.chance / 2, pair.chance / 2]
    ranking = mix([whole, pair.first, pair.second], shares, whole.read_as)
    return Reading(ranking, ("several_needs",))


def _likeliest(parts: list[Clause], rank_clause: RankClause) -> _Pair | None:
    """The clauses that most likely are two needs; None if no two are it likelier than not.

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
    """The chance that two clauses state two needs: the surer the less sure one, and the plainer their form."""
    return 1 / (1 + math.exp(-_STEEPNESS * surplus))


def _least_needed(first: Clause, second: Clause) -> float:
    return LEAST_SURE_ADDED if second.added else LEAST_SURE[first.asks + second.asks]
