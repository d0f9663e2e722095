"""Combines the rankings of a message's parts into one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from embeddings.arrays import DoubleArray
from embeddings.ranking.match_result import Note
from embeddings.ranking.ranking import Ranking


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
