"""Everything that `Matcher.build` computes and a vector file stores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from embeddings import choice_model, evidence, kernel_head
from embeddings.blocks import Blocks, quantize
from embeddings.encoder import TextEncoder
from embeddings.evidence import HeldOut
from embeddings.folds import assign_folds
from embeddings.kernel_head import KernelHead
from embeddings.phrase_book import PhraseBook
from embeddings.phrase_index import PhraseIndex
from embeddings.signals import FloatArray
from embeddings.vector_product import BLOCK_SIZE
from embeddings.whitening import fit_whitening, whiten

Progress = Callable[[int, int], None]
"""Told how many of how many texts are embedded."""

_AT_A_TIME: Final = 512


@dataclass(frozen=True)
class FittedIndex:
    """A catalog embedded, its ranking fitted and calibrated.

    Attributes:
        index: the catalog's texts.
        whitening: float32 (d, k), the map from the encoder's vectors to those that are compared.
        blocks: the mapped vectors, n rows of k numbers, one for each phrase of the index, of unit length before they
            were rounded to 8 bits.
        head: the ranking head.
        weights: float64 (signals,), of the choice model.
        lexical_weights: the same for answers without the model.
        model: fingerprint of the encoder that made the vectors.
    """

    index: PhraseIndex
    whitening: FloatArray
    blocks: Blocks
    head: KernelHead
    weights: npt.NDArray[np.float64]
    lexical_weights: npt.NDArray[np.float64]
    model: str

    @classmethod
    def build(cls, book: PhraseBook, encoder: TextEncoder, progress: Progress | None = None) -> Self:
        """Embed a book, fit the ranking head, and calibrate on phrases held out from it."""
        index = PhraseIndex.build(book)
        encoded = embed(index.texts, encoder, progress)
        whitening = fit_whitening(encoded, index.owners, len(book.labels))
        blocks = quantize(whiten(encoded, whitening), BLOCK_SIZE)
        # Fitted on what is stored, so that a loaded matcher answers as a built one does.
        vectors = blocks.restore()
        folds = assign_folds(index.owners)
        head, held_out = kernel_head.fit(vectors, index.owners, len(book.labels) + 1, folds)
        measured = evidence.gather(index, folds, HeldOut(vectors, held_out))
        return cls(
            index=index,
            whitening=whitening,
            blocks=blocks,
            head=head,
            weights=choice_model.fit_weights(measured, lexical_only=False),
            lexical_weights=choice_model.fit_weights(measured, lexical_only=True),
            model=encoder.fingerprint,
        )

    @property
    def vectors(self) -> FloatArray:
        """The vectors as they are compared: float32 (n, k), made anew each time."""
        return self.blocks.restore()


def embed(texts: Sequence[str], encoder: TextEncoder, progress: Progress | None = None) -> FloatArray:
    """The encoder's vectors of texts: float32 (len(texts), d)."""
    parts = []
    for start in range(0, len(texts), _AT_A_TIME):
        parts.append(encoder.encode(texts[start : start + _AT_A_TIME]))
        if progress:
            progress(min(start + _AT_A_TIME, len(texts)), len(texts))
    return np.concatenate(parts)


def fit_lexical_weights(index: PhraseIndex) -> npt.NDArray[np.float64]:
    """Calibrate answers without the model, for a catalog whose vectors cannot be used."""
    measured = evidence.gather(index, assign_folds(index.owners), None)
    return choice_model.fit_weights(measured, lexical_only=True)
