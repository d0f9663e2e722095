"""Adds up, for each label, what the queries for it found.

A label with examples is asked for by these, held out with their fold. A label without is asked for by its name, its
aliases and the sentences of its description, each held out by itself.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from embeddings.arrays import BoolArray, DoubleArray, FloatArray, IntArray
from embeddings.labels.corpus import Corpus
from embeddings.labels.label import Phrase
from embeddings.preflight.finding import Answer
from embeddings.ranking.decision import DEFAULT_COSTS, Costs, decide
from embeddings.ranking.ranking import probabilities
from embeddings.ranking.signals import LexicalSignals, ModelSignals, assemble
from embeddings.text.normalization import fold
from embeddings.text.word_index import WordIndex
from embeddings.training.build import Fit
from embeddings.training.calibration_data import held_out_signals, measured_rows

PARTS: Final = ("name", "alias", "description")
"""Kinds of phrases that are parts of what a label says of itself."""


@dataclass(frozen=True)
class HeldOutQuery:
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


def ask(fit: Fit) -> Iterator[HeldOutQuery]:
    """Ask for every label that has something to be asked with."""
    corpus, inside = fit.index.corpus, _examples(fit)
    for row, signals in held_out_signals(corpus, inside, fit.folds, fit.held_out):
        yield HeldOutQuery(corpus.phrases[row], probabilities(signals, fit.index.weights))
    yield from _ask_by_parts(fit, frozenset(corpus.owners[inside].tolist()))


def count(fit: Fit) -> int:
    """Return the number of queries that `ask` yields at most."""
    corpus, inside = fit.index.corpus, _examples(fit)
    return len(inside) + len(_parts(corpus, frozenset(corpus.owners[inside].tolist())))


def _examples(fit: Fit) -> IntArray:
    """Return the rows of labels' examples that were held out."""
    corpus = fit.index.corpus
    rows = measured_rows(corpus, fit.folds)
    return rows[corpus.owners[rows] < corpus.spans.labels]


def _parts(corpus: Corpus, besides: frozenset[int]) -> list[int]:
    return [row for row, phrase in enumerate(corpus.phrases) if phrase.kind in PARTS and phrase.label not in besides]


def _ask_by_parts(fit: Fit, besides: frozenset[int]) -> Iterator[HeldOutQuery]:
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
            yield HeldOutQuery(corpus.phrases[row], probabilities(signals, fit.index.weights))


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


FIRST: Final = 3
"""Places in which a label counts as found: as many candidates as an unresolved answer lists."""


@dataclass(frozen=True)
class Query:
    """One query for a label.

    Attributes:
        text: what was asked.
        kind: the phrase's kind.
        own: probability of the label.
        place: its place, from 0.
        other: the likeliest other label, by its position.
        moved: the probability of that label.
        answer: what a caller would be told.
    """

    text: str
    kind: str
    own: float
    place: int
    other: int
    moved: float
    answer: Answer


@dataclass(frozen=True)
class Evidence:
    """The results of the queries for one label.

    Attributes:
        queries: all of them, in order.
        mean: float64 (labels + 1,), mean probability over the examples, or else over the name, the aliases and the
            first sentence; zeros without queries.
        by_examples: whether the label was asked for by examples.
    """

    queries: tuple[Query, ...]
    mean: DoubleArray
    by_examples: bool

    @property
    def main(self) -> tuple[Query, ...]:
        """The queries of which `mean` is the mean."""
        return self.queries if self.by_examples else _main(self.queries)

    @property
    def found(self) -> float:
        """Share of the main queries that have the label among the first three; 0 without queries."""
        return sum(query.place < FIRST for query in self.main) / max(1, len(self.main))


def _main(queries: tuple[Query, ...]) -> tuple[Query, ...]:
    told = [query for query in queries if query.kind == "description"][:1]
    return (*(query for query in queries if query.kind != "description"), *told)


def gather(
    fit: Fit, progress: Callable[[int, int], None] | None = None, costs: Costs = DEFAULT_COSTS
) -> list[Evidence]:
    """Ask for every label, and add up what was found.

    Args:
        fit: the catalog, fitted.
        progress: gets the queries done and their number.
        costs: what mistakes cost the caller, for decisions.
    """
    labels, total = fit.index.corpus.spans.labels, count(fit)
    queries: list[list[Query]] = [[] for _ in range(labels)]
    sums: FloatArray = np.zeros((labels, labels + 1), dtype=np.float32)
    counted = np.zeros(labels, dtype=np.int64)
    for done, asked in enumerate(ask(fit), 1):
        label = asked.phrase.label
        told = any(query.kind == "description" for query in queries[label])
        queries[label].append(_query(asked, costs))
        if asked.phrase.kind != "description" or not told:
            sums[label] += asked.confidences
            counted[label] += 1
        if progress:
            progress(done, total)
    means = sums.astype(np.float64) / np.maximum(counted, 1)[:, None]
    return [
        Evidence(tuple(found), means[label], any(query.kind == "phrasing" for query in found))
        for label, found in enumerate(queries)
    ]


def _query(asked: HeldOutQuery, costs: Costs) -> Query:
    others = asked.confidences[:-1].copy()
    others[asked.phrase.label] = -1
    other = int(np.argmax(others))
    moved = max(0.0, float(others[other]))
    likeliest = np.sort(asked.confidences[:-1])[::-1][:FIRST].tolist()
    decision = decide(likeliest, float(asked.confidences[-1]), costs)
    answer = Answer(max(asked.own, moved), asked.place == 0, decision)
    return Query(asked.phrase.text, asked.phrase.kind, asked.own, asked.place, other, moved, answer)
