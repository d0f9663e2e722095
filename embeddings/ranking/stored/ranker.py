"""Ranks some labels of a stored catalog by what is known of all of it."""

from collections.abc import Sequence

from embeddings.arrays import FloatArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.index.fitted_index import FittedIndex
from embeddings.index.stores.head_scores import HeadScores
from embeddings.ranking.rankers import FullRanker
from embeddings.text.spelling import SpellingCorrector


class StoredRanker(FullRanker):
    """Ranks an excerpt of a catalog: each signal of a label is what it would be if all labels were there."""

    def __init__(
        self,
        fitted: FittedIndex,
        encoder: TextEncoder,
        corrector: SpellingCorrector,
        keys: Sequence[str],
        head: HeadScores | None,
    ) -> None:
        """Rank an excerpt.

        Args:
            fitted: what `embeddings.index.stores.excerpt` arranged.
            encoder: embeds queries.
            corrector: of spelling, with the words of the catalog.
            keys: of the labels.
            head: the catalog's ranking head; None if it has none.
        """
        super().__init__(fitted, encoder, corrector)
        self._head = head
        self._columns = head.columns(keys) if head else None

    def _head_scores(self, vectors: FloatArray, cosines: FloatArray) -> Sequence[FloatArray]:
        if self._head is None or self._columns is None:
            return super()._head_scores(vectors, cosines)
        return [*self._head(vectors, self._columns)]
