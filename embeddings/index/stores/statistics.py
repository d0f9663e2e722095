"""What must be known of all texts of a catalog to rank a few of its labels: how rare their terms are, and its words."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from embeddings.index.stores.record import StoredLabel
from embeddings.index.stores.terms import Spread
from embeddings.text.normalization import words
from embeddings.text.spelling import counts_in_spelling


@dataclass(frozen=True)
class Statistics:
    """Sums over the labels of a catalog, and over the phrases that no label fits.

    Attributes:
        labels: number of labels.
        grams: in how many phrases each character n-gram is.
        stems: in how many labels each stem is.
        length: number of stems of all labels together.
        words: in how many phrases each word is; spelling is corrected with them.
    """

    labels: int = 0
    grams: Spread = field(default_factory=Spread.nothing)
    stems: Spread = field(default_factory=Spread.nothing)
    length: int = 0
    words: Mapping[str, int] = field(default_factory=dict)

    def changed(
        self, added: Sequence[StoredLabel], removed: Sequence[StoredLabel] = (), *, labels: bool = True
    ) -> Self:
        """The sums after records came and went.

        Args:
            added: those that came.
            removed: those that went.
            labels: they are labels; otherwise, phrases that no label fits.
        """
        words_ = Counter(self.words)
        for record in added:
            words_.update(_words(record))
        for record in removed:
            words_.subtract(_words(record))
        phrases = sum(len(each.phrases) for each in added) - sum(len(each.phrases) for each in removed)
        grams = self.grams.changed([each.grams.keys for each in added], [each.grams.keys for each in removed], phrases)
        kept = {word: count for word, count in sorted(words_.items()) if count > 0}
        if not labels:
            return type(self)(self.labels, grams, self.stems, self.length, kept)
        more = len(added) - len(removed)
        return type(self)(
            self.labels + more,
            grams,
            self.stems.changed([each.stems.keys for each in added], [each.stems.keys for each in removed], more),
            self.length + sum(map(_length, added)) - sum(map(_length, removed)),
            kept,
        )


def _words(record: StoredLabel) -> Counter[str]:
    return Counter(word for text, _ in record.phrases for word in set(words(text)) if counts_in_spelling(word))


def _length(record: StoredLabel) -> int:
    return int(np.sum(record.stems.times, dtype=np.int64))
