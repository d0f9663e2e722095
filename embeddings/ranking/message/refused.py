"""Reads a message that says what is not wanted: the rest is matched, and what is refused is not the answer."""

from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from embeddings.arrays import DoubleArray
from embeddings.labels.corpus import Corpus
from embeddings.ranking.message.mixture import mix
from embeddings.ranking.message.parts import Rank
from embeddings.ranking.ranking import Ranking
from embeddings.text.message.negation import Refusal, is_negative, refusals

SURE: Final = 0.5
"""Confidence from which the refused words are taken to name a label. Below, they only describe the need."""

KEPT: Final = 0.5
"""Share of its probability that a refused label keeps if the message would resolve to it all the same."""


class Refused(NamedTuple):
    """What a message refuses.

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
