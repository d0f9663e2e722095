"""Recognizes a message that the catalog itself lists as fitting no label."""

from dataclasses import replace
from functools import cached_property
from typing import Final

from embeddings.labels.corpus import Corpus
from embeddings.ranking.ranking import SUREST, Ranking
from embeddings.text.normalization import fold

_LABELS: Final = 1 - SUREST
"""What the labels share: as sure as a match that is not an exact name can be."""


class OutsideReader:
    """Compares messages with the out-of-scope phrases of a catalog, ignoring case and punctuation."""

    def __init__(self, corpus: Corpus) -> None:
        """Compare with a catalog's own out-of-scope phrases; the background is not among them."""
        self._corpus = corpus

    def lists(self, text: str) -> bool:
        """Whether the message is an out-of-scope phrase, and not also a phrase of a label."""
        folded = fold(text)
        return folded in self._outside and folded not in self._inside

    @cached_property
    def _outside(self) -> frozenset[str]:
        whole = self._corpus.whole
        return whole.outside if whole else frozenset(map(fold, self._corpus.book.out_of_scope))

    @cached_property
    def _inside(self) -> frozenset[str]:
        """Those that are phrases of a label, too."""
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
