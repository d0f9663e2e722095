"""Asks a catalog for each of its labels in words that the catalog, for this query, does not have.

A label with examples is asked for by these, held out with their fold. A label without is asked for by its name, its
aliases and the sentences of its description, each held out by itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from embeddings.arrays import BoolArray, DoubleArray, FloatArray, IntArray
from embeddings.labels.corpus import Corpus
from embeddings.labels.label import Phrase
from embeddings.ranking.conditional_logit import probabilities
from embeddings.ranking.signals import LexicalSignals, ModelSignals, assemble
from embeddings.text.normalization import fold
from embeddings.text.word_index import WordIndex
from embeddings.training.build import Fit
from embeddings.training.calibration_data import held_out_signals, measured_rows

PARTS: Final = ("name", "alias", "description")
"""Kinds of phrases that are parts of what a label says of itself."""


@dataclass(frozen=True)
class Asked:
    """One query, and what it found.

    Attributes:
        phrase: the query; its label is the one that was asked for.
        confidences: float64 (labels + 1,), "none" last.
    """

    phrase: Phrase
    confidences: DoubleArray

    @property
    def own(self) -> float:
        """Probability of the label that was asked for."""
        return float(self.confidences[self.phrase.label])

    @property
    def place(self) -> int:
        """Place of the label that was asked for, from 0."""
        return int((self.confidences[:-1] > self.own).sum())


def ask(fit: Fit) -> Iterator[Asked]:
    """Ask for every label that has something to be asked with."""
    corpus, inside = fit.index.corpus, _examples(fit)
    for row, signals in held_out_signals(corpus, inside, fit.folds, fit.held_out):
        yield Asked(corpus.phrases[row], probabilities(signals, fit.index.weights))
    yield from _ask_by_parts(fit, frozenset(corpus.owners[inside].tolist()))


def count(fit: Fit) -> int:
    """The number of queries that `ask` yields at most."""
    corpus, inside = fit.index.corpus, _examples(fit)
    return len(inside) + len(_parts(corpus, frozenset(corpus.owners[inside].tolist())))


def _examples(fit: Fit) -> IntArray:
    """The rows of labels' examples that were held out."""
    corpus = fit.index.corpus
    rows = measured_rows(corpus, fit.folds)
    return rows[corpus.owners[rows] < corpus.spans.labels]


def _parts(corpus: Corpus, besides: frozenset[int]) -> list[int]:
    return [row for row, phrase in enumerate(corpus.phrases) if phrase.kind in PARTS and phrase.label not in besides]


def _ask_by_parts(fit: Fit, besides: frozenset[int]) -> Iterator[Asked]:
    """Ask for the other labels by the parts of what they say of themselves, but for those that say one thing only."""
    corpus = fit.index.corpus
    rows = _parts(corpus, besides)
    if not rows:
        return
    rest = _words_without(corpus, rows)
    for place, row in enumerate(rows):
        unseen = _hidden_with(corpus, row)
        if not unseen[_own(corpus, row)].all():
            signals = _signals(fit, row, unseen, rest, place)
            yield Asked(corpus.phrases[row], probabilities(signals, fit.index.weights))


def _own(corpus: Corpus, row: int) -> slice:
    label = corpus.phrases[row].label
    start = int(corpus.spans.starts[label])
    return slice(start, start + int(corpus.spans.sizes[label]))


def _hidden_with(corpus: Corpus, row: int) -> BoolArray:
    """Mark a part and the texts of its label that contain it: bool (n,)."""
    unseen = np.zeros(len(corpus.phrases), dtype=bool)
    said = fold(corpus.phrases[row].text)
    own = _own(corpus, row)
    for other in range(own.start, own.stop):
        phrase = corpus.phrases[other]
        unseen[other] = phrase.kind == "whole" or fold(phrase.text) == said
    return unseen


def _words_without(corpus: Corpus, rows: list[int]) -> WordIndex:
    """Index the words of each part's label without the part."""
    return WordIndex.build([" ".join(_other_words(corpus, row)) for row in rows])


def _other_words(corpus: Corpus, row: int) -> Iterator[str]:
    part = corpus.phrases[row]
    label = corpus.book.labels[part.label]
    if part.kind != "name":
        yield label.name
    yield from (alias for alias in label.aliases if alias != part.text)
    yield label.description.replace(part.text, " ")
    for texts in label.fields.values():
        yield from texts


def _signals(fit: Fit, row: int, unseen: BoolArray, rest: WordIndex, place: int) -> FloatArray:
    corpus, vectors = fit.index.corpus, fit.held_out.vectors
    phrase = corpus.phrases[row]
    cosines = vectors @ vectors[row]
    whole = cosines[corpus.whole_rows]
    cosines[unseen] = 0
    whole[phrase.label] = cosines[_own(corpus, row)].max()
    model = ModelSignals.of(corpus, cosines, fit.held_out.kernel[row])
    lexical = LexicalSignals.of(corpus, phrase.text, unseen, besides=fold(phrase.text))
    scores, weight = rest.scores(phrase.text)
    words, coverage = lexical.words.copy(), lexical.coverage.copy()
    words[phrase.label] = np.log1p(scores[place])
    coverage[phrase.label] = scores[place] / max(weight, 1e-6)
    return assemble(replace(model, whole=whole, part=whole), replace(lexical, words=words, coverage=coverage))
