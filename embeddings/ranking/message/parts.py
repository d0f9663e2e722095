"""How the parts of a message are ranked."""

from collections.abc import Callable, Sequence

from embeddings.ranking.rankers import Ranker
from embeddings.ranking.ranking import Ranking

Rank = Callable[[Sequence[str]], list[Ranking]]
"""Ranks every label for each of several texts."""


def rank_with(ranker: Ranker) -> Rank:
    """Return a function that ranks texts with a ranker."""
    return lambda texts: [ranker.rank(text) for text in texts]


def rank_as_typed(ranker: Ranker) -> Rank:
    """Return a function that ranks the windows of a long message, which has enough correct words to be understood."""
    return lambda texts: [ranker.rank(text, as_typed=True) for text in texts]
