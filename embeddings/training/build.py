"""Builds an index: embeds a catalog, fits its ranking, and calibrates its confidence on held-out phrases."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from embeddings.arrays import DoubleArray, FloatArray, IntArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.index.fitted_index import FittedIndex
from embeddings.index.kernel_ridge import KernelRidge
from embeddings.index.quantization import Blocks, quantize
from embeddings.index.vector_product import BLOCK_SIZE
from embeddings.labels.corpus import Corpus
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.spared_head import SparedHead
from embeddings.ranking.whitening import whiten
from embeddings.training import calibration_data, conditional_logit
from embeddings.training.background import background, most_encoded
from embeddings.training.calibration_data import HeldOut
from embeddings.training.folds import assign_folds
from embeddings.training.head import kernel_ridge
from embeddings.training.head.expected_scores import expected_scores
from embeddings.training.priors import prior
from embeddings.training.spread.batches import encoded
from embeddings.training.whitening import fit_whitening

Progress = Callable[[int, int], None]
"""Called with the number of texts embedded so far and the number of all texts."""

_AT_A_TIME: Final = 128


@dataclass(frozen=True)
class Fit:
    """A fitted index, and what it was calibrated on.

    Attributes:
        index: the fitted index.
        folds: int64 (n,), the fold in which each phrase was held out; -1 for one that never was.
        held_out: the vectors of all phrases, and their held-out scores.
    """

    index: FittedIndex
    folds: IntArray
    held_out: HeldOut


def build_index(book: PhraseBook, encoder: TextEncoder, progress: Progress | None = None) -> FittedIndex:
    """Embed a phrase book, fit the ranking head, and calibrate on held-out phrases."""
    return build(book, encoder, progress).index


def build(book: PhraseBook, encoder: TextEncoder, progress: Progress | None = None, *, with_head: bool = True) -> Fit:
    """Do what `build_index` does, and return what was held out, too; without a head, its scores are 0."""
    phrases = [*book.phrases()]
    texts = [*(phrase.text for phrase in phrases), *book.out_of_scope]
    watch = _Watch(progress, len(texts) + most_encoded(book))
    own = embed(texts, encoder, watch.report)
    said = [row for row, phrase in enumerate(phrases) if phrase.kind in {"name", "whole"}]
    outside = background(book, own[said], lambda more: embed(more, encoder, watch.report))
    watch.finish()
    corpus, encoded = Corpus.build(book, outside.phrases), np.concatenate([own, outside.vectors])
    whitening = fit_whitening(encoded, corpus.owners, len(book.labels))
    blocks = quantize(whiten(encoded, whitening), BLOCK_SIZE)
    return fit(corpus, whitening, blocks, encoder.fingerprint, with_head=with_head)


class _Watch:
    """Adds up the progress of several parts of the work."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0

    def report(self, done: int, of: int) -> None:
        if self._progress:
            self._progress(self._done + done, self._total)
        if done == of:
            self._done += done

    def finish(self) -> None:
        if self._progress and self._done < self._total:
            self._progress(self._total, self._total)


def fit_index(corpus: Corpus, whitening: FloatArray, blocks: Blocks, model: str) -> FittedIndex:
    """Fit the ranking head to a catalog's whitened vectors, and calibrate on held-out phrases."""
    return fit(corpus, whitening, blocks, model).index


def fit(corpus: Corpus, whitening: FloatArray, blocks: Blocks, model: str, *, with_head: bool = True) -> Fit:
    """Do what `fit_index` does, and return what was held out, too; without a head, its scores are 0."""
    # Fit on the quantized vectors that are stored, so that a loaded matcher answers like a newly built one.
    vectors = blocks.restore()
    folds = assign_folds(corpus.owners)
    head, scores = _head(corpus, vectors, folds, with_head and has_examples(corpus.book))
    held_out = HeldOut(vectors, scores)
    measured = calibration_data.gather(corpus, folds, held_out)
    index = FittedIndex(
        corpus=corpus,
        whitening=whitening,
        blocks=blocks,
        head=head,
        weights=conditional_logit.fit_weights(measured, prior(corpus.book, lexical_only=False), lexical_only=False),
        lexical_weights=conditional_logit.fit_weights(
            measured, prior(corpus.book, lexical_only=True), lexical_only=True
        ),
        model=model,
        expected=expected_scores(measured.features) if SparedHead.is_worth(head) else None,
    )
    return Fit(index, folds, held_out)


def _head(corpus: Corpus, vectors: FloatArray, folds: IntArray, wanted: bool) -> tuple[KernelRidge, FloatArray]:
    """Fit the head. Without phrasings it learns nothing that the cosines do not say, so that its scores are 0.

    On eleven public sets of tools with one description each, a head moved first place from 0.717 to 0.718 and recall at
    10 from 0.919 to 0.917.
    """
    classes = corpus.spans.labels + 1
    if wanted:
        return kernel_ridge.fit(vectors, corpus.owners, classes, folds)
    nothing = KernelRidge(np.zeros(1, dtype=np.int64), np.zeros((1, classes), dtype=np.float32))
    return nothing, np.zeros((len(vectors), classes), dtype=np.float32)


def has_examples(book: PhraseBook) -> bool:
    """Whether a label has phrasings."""
    return any(label.phrasings for label in book.labels)


def embed(texts: Sequence[str], encoder: TextEncoder, progress: Progress | None = None) -> FloatArray:
    """Encode texts in parts, reporting progress from the first second: float32 (len(texts), d)."""
    starts = range(0, len(texts), _AT_A_TIME)
    parts: list[FloatArray] = []
    for vectors in encoded((texts[start : start + _AT_A_TIME] for start in starts), encoder):
        parts.append(vectors)
        if progress:
            progress(min(len(parts) * _AT_A_TIME, len(texts)), len(texts))
    return np.concatenate(parts)


def fit_lexical_weights(corpus: Corpus) -> DoubleArray:
    """Fit the weights of degraded mode, for a catalog without usable vectors."""
    measured = calibration_data.gather(corpus, assign_folds(corpus.owners), None)
    return conditional_logit.fit_weights(measured, prior(corpus.book, lexical_only=True), lexical_only=True)
