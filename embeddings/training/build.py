"""Builds an index: embeds a catalog, fits its ranking, and calibrates its confidence on held-out phrases.

Vectors are first whitened: multiplied by S ** -POWER, where S is the covariance of phrases about the centre of their
label, shrunk towards a multiple of the identity. This is within-class covariance normalisation (Hatch, Kajarekar &
Stolcke, Interspeech 2006), which uses a power of one half.

A catalog with few out-of-scope phrases, or none, is also fitted to background phrases that ship with this package.
Those that one of its labels is about are left out.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from embeddings.arrays import DoubleArray, FloatArray, IntArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.index.fitted_index import FittedIndex, KernelRidge
from embeddings.index.vector_product import BLOCK_SIZE, Blocks, quantize
from embeddings.labels.corpus import Corpus
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.rankers import SparedHead
from embeddings.ranking.signals import whiten
from embeddings.training import calibration_data, conditional_logit, kernel_ridge
from embeddings.training.calibration_data import HeldOut
from embeddings.training.conditional_logit import assign_folds, prior
from embeddings.training.kernel_ridge import expected_scores
from embeddings.training.workers_encoder import encoded

POWER: Final = 0.25
SHRINKAGE: Final = 0.3
CAUTION: Final = 4.0
"""How strongly few phrases per dimension pull the map towards the identity. Top-1 accuracy with our catalog on 1,272
queries written independently of it: for vague queries 0.904 without the map and 0.921 with it, for needs reworded from
issue threads 0.846 and 0.863. With few phrases (CLINC150, 10 per intent) the map is near the identity and changes
little: 0.907 with CAUTION 1, 0.909 with 4, 0.909 with 12 (3 seeds)."""


KEPT: Final = 256
"""Dimensions kept of 384, because memory bandwidth limits the speed of comparison. On the queries above, top-1 accuracy
over all kinds is 0.973 with 384 and with 256, 0.970 with 192 and 0.966 with 128; for needs it is 0.892, 0.896, 0.879
and 0.867."""


def fit_whitening(vectors: FloatArray, owners: IntArray, labels: int) -> FloatArray:
    """Fit the map for a catalog; if no label has two phrases, start from the identity.

    Args:
        vectors: float32 (n, d), unit length.
        owners: int64 (n,), the label of each phrase; out-of-scope phrases, with label `labels`, have no centre and are
            left out.
        labels: number of labels.

    Returns:
        float32 (d, min(d, KEPT)).
    """
    in_scope = owners < labels
    inside, of = vectors[in_scope].astype(np.float64), owners[in_scope]
    sums = np.zeros((labels, vectors.shape[1]))
    np.add.at(sums, of, inside)
    centred = inside - (sums / np.maximum(np.bincount(of, minlength=labels), 1)[:, None])[of]
    freedom = len(inside) - labels
    spread = float((centred**2).sum())
    if freedom <= 0 or not spread:
        return strongest(np.eye(vectors.shape[1]), vectors)
    values, directions = np.linalg.eigh(centred.T @ centred / len(inside))
    # The fewer phrases there are per dimension, the less reliable the directions are.
    floor = (SHRINKAGE + CAUTION * len(values) / freedom) * values.mean()
    return strongest((directions * (np.maximum(values, 0) + floor) ** -POWER) @ directions.T, vectors)


def strongest(mapping: DoubleArray, vectors: FloatArray) -> FloatArray:
    """Rotate a map to the principal axes of the mapped vectors, and keep the first `KEPT` of them.

    Args:
        mapping: float64 (d, d).
        vectors: float32 (n, d), before they are mapped.

    Returns:
        float32 (d, min(d, KEPT)).
    """
    if len(mapping) <= KEPT:
        return mapping.astype(np.float32)
    mapped = whiten(vectors, mapping.astype(np.float32)).astype(np.float64)
    _, axes = np.linalg.eigh(mapped.T @ mapped)
    return np.asarray(mapping @ axes[:, : -KEPT - 1 : -1], dtype=np.float32)


_FILE: Final = Path(__file__).with_name("background.json")

SAME_SUBJECT: Final = 0.5
"""Cosine of a group's title to a label's name and description, or of a phrase to one of them, from which on the label
may be about it. Of 300 queries of HWU64, whose intents with one description each cover weather, jokes and recipes, 16%
are `no_match` with 0.35, 18% with 0.5, and 19% with 0.65 or none; on ToolAlpaca and home-assistant it changes at most
one point. 0.5 keeps 637, 695 and 767 of the 767 phrases."""


class Background(NamedTuple):
    """The phrases chosen for a catalog, and their vectors: float32 (n, d)."""

    phrases: list[str]
    vectors: FloatArray


def background(book: PhraseBook, labels: FloatArray, encode: Callable[[list[str]], FloatArray]) -> Background:
    """Choose the background phrases for a catalog.

    The more out-of-scope phrases a catalog has, the fewer of these are added; from `ENOUGH_OUTSIDE` on, none.

    Args:
        book: the catalog.
        labels: float32 (labels, d), vectors of each label's name and description.
        encode: embeds texts.
    """
    needed = 1 - book.shown_outside
    if not needed:
        return Background([], labels[:0])
    groups = _groups()
    apart = _nearest(encode(list(groups)), labels) < SAME_SUBJECT
    phrases = [phrase for group, kept in zip(groups, apart, strict=True) if kept for phrase in groups[group]]
    if not phrases:
        return Background([], labels[:0])
    vectors = encode(phrases)
    rows = np.flatnonzero(_nearest(vectors, labels) < SAME_SUBJECT)
    rows = rows[np.linspace(0, len(rows) - 1, round(len(rows) * needed)).astype(np.int64)]
    return Background([phrases[row] for row in rows], vectors[rows])


def most_encoded(book: PhraseBook) -> int:
    """Return the largest number of texts that `background` embeds for a catalog."""
    return len(_groups()) + sum(map(len, _groups().values())) if book.shown_outside < 1 else 0


def _nearest(vectors: FloatArray, labels: FloatArray) -> FloatArray:
    """Cosine of each vector to the label nearest to it: float32 (n,)."""
    found: FloatArray = (vectors @ labels.T).max(axis=1)
    return found


@cache
def _groups() -> Mapping[str, Sequence[str]]:
    groups: Mapping[str, Sequence[str]] = json.loads(_FILE.read_text(encoding="utf-8"))["groups"]
    return groups


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
        bare: if some labels have examples and others have none, what `halves_of_examples` gives, and the same vectors
            with scores by heads that were fitted without a phrase's half.
    """

    index: FittedIndex
    folds: IntArray
    held_out: HeldOut
    bare: tuple[IntArray, HeldOut] | None = None


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
    learns = with_head and has_examples(corpus.book)
    head, scores = _head(corpus, vectors, folds, learns)
    held_out = HeldOut(vectors, scores, _scores_of_hidden(corpus, vectors, folds) if learns else None)
    measured = calibration_data.gather(corpus, folds, held_out)
    bare = None
    if 0 < corpus.book.share_with_examples < 1:
        halves = calibration_data.halves_of_examples(corpus)
        bare = halves, HeldOut(vectors, _head(corpus, vectors, halves, with_head)[1])
        measured = measured.with_bare(corpus, *bare)
    weights = conditional_logit.fit_weights(measured, prior(corpus.book, lexical_only=False), lexical_only=False)
    index = FittedIndex(
        corpus=corpus,
        whitening=whitening,
        blocks=blocks,
        head=head.rounded(),
        weights=weights,
        lexical_weights=conditional_logit.fit_weights(
            measured, prior(corpus.book, lexical_only=True), lexical_only=True
        ),
        model=model,
        expected=expected_scores(measured.features) if SparedHead.is_worth(head) else None,
        held_out=measured.scores(weights) if has_examples(corpus.book) else None,
    )
    return Fit(index, folds, held_out, bare)


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


def _scores_of_hidden(corpus: Corpus, vectors: FloatArray, folds: IntArray) -> FloatArray | None:
    """Score the phrases whose labels are hidden in turn; none are if enough is out of scope."""
    rows = calibration_data.measured_rows(corpus, folds)
    hidden = rows[corpus.owners[rows] < corpus.spans.labels]
    if corpus.book.shown_outside >= 1 or not len(hidden):
        return None
    return kernel_ridge.scores_without_label(vectors, corpus.owners, corpus.spans.labels + 1, hidden)


def has_examples(book: PhraseBook) -> bool:
    """Return whether a label has phrasings."""
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
    if 0 < corpus.book.share_with_examples < 1:
        measured = measured.with_bare(corpus, calibration_data.halves_of_examples(corpus), None)
    return conditional_logit.fit_weights(measured, prior(corpus.book, lexical_only=True), lexical_only=True)
