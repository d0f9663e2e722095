"""Measures a catalog's phrases against the rest of the catalog: the training data of the conditional logit.

Each phrasing is used as a query, with the phrases of its fold left out of the catalog: once as it is, and once with its
label hidden, as a query that nothing fits. A ranking head that has learnt a hidden label scores the others too low, so
that "none" looks surer than it is; scores by heads that have not learnt it are kept beside. Out-of-scope and background
phrases are queries that nothing fits, too.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from embeddings.arrays import BoolArray, DoubleArray, FloatArray, IntArray
from embeddings.index.fitted_index import SIGNALS
from embeddings.index.held_out_scores import HeldOutScores
from embeddings.labels.corpus import Corpus
from embeddings.ranking.ranking import probabilities
from embeddings.ranking.signals import LexicalSignals, ModelSignals, assemble
from embeddings.text.normalization import fold

MAX_ALTERNATIVES: Final = 40
"""Labels kept for each query: those with the largest signals. The probability of the others is negligible."""

HIDDEN_PART: Final = 0.3
"""Part that hidden labels have in what fits nothing, if there are no out-of-scope phrases of the catalog's own. With
0.3 and 0.5 the expected calibration error, if a fifth of the queries are of a third of the labels that were left out,
is 0.103 and 0.093 on HWU64, 0.029 and 0.026 on 45 intents of CLINC150 (10 phrases each), 0.017 and 0.019 with 60
phrases (means of 3 draws); of 149 requests that one of 178 tools serves, `benchmarks/gateway_requests.jsonl`, 0.040 and
0.087 are refused, and of 100 that none serves 0.94 and 0.96."""

ONLY_EXAMPLE: Final = 0.5
"""How many queries the only example of a label stands for: held out, it leaves the label bare, and less like it than a
query will be. With 1.0, 0.6 and 0.5, catalogs of HWU64 with one example each refuse 0.059, 0.070 and 0.081 of what they
serve, and 0.67, 0.73 and 0.75 of what they do not; with three examples it is 0.086 and 0.85 (means of 6 draws)."""

_AT_A_TIME: Final = 256
_KERNEL, _NONE = SIGNALS.index("kernel"), SIGNALS.index("none kernel")


@dataclass(frozen=True)
class CalibrationData:
    """Held-out queries and the signals of their alternatives.

    Attributes:
        features: float32 (n, alternatives, signals); "none" is the last alternative.
        chosen: int64 (n,), the right alternative.
        importance: float64 (n,), how many queries each stands for.
        unlearnt: as `features`, for hidden labels with the scores of heads that have not learnt them; None if there are
            no such scores.
    """

    features: FloatArray
    chosen: IntArray
    importance: DoubleArray
    unlearnt: FloatArray | None = None

    @property
    def real(self) -> FloatArray:
        """The signals as real queries have them: float32 (n, alternatives, signals)."""
        return self.features if self.unlearnt is None else self.unlearnt

    def scores(self, weights: DoubleArray) -> HeldOutScores | None:
        """Return how sure the weights are of what is right; None if no example was held out."""
        right = np.take_along_axis(probabilities(self.real, weights), self.chosen[:, None], axis=1)[:, 0]
        examples = int((self.chosen < self.features.shape[1] - 1).sum())
        return HeldOutScores.of(1 - right, self.importance, examples) if examples else None

    def with_bare(self, corpus: Corpus, halves: IntArray, held_out: "HeldOut | None") -> "CalibrationData":
        """Add what phrasings are as queries for labels without any, so that such labels of the catalog compare, too.

        They stand for as many of the queries as there are labels without phrasings.

        Args:
            corpus: the catalog.
            halves: what `halves_of_examples` gives.
            held_out: vectors, and scores by heads that were fitted without a phrasing's half; None as for `gather`.
        """
        bare, share = gather(corpus, halves, held_out), corpus.book.share_with_examples
        return CalibrationData(
            np.concatenate([self.features, bare.features]),
            np.concatenate([self.chosen, bare.chosen]),
            np.concatenate([self.importance * share, bare.importance * (1 - share)]),
            None if self.unlearnt is None else np.concatenate([self.unlearnt, bare.features]),
        )


@dataclass(frozen=True)
class HeldOut:
    """The vectors of all phrases, and their scores by ranking heads that did not see them.

    Attributes:
        vectors: float32 (n, d).
        kernel: float32 (n, labels + 1), by heads that were fitted without a phrase's fold.
        hidden: float32 (n, labels + 1), by heads that were fitted without its label; None if those of `kernel` stand
            for them.
    """

    vectors: FloatArray
    kernel: FloatArray
    hidden: FloatArray | None = None


def gather(corpus: Corpus, folds: IntArray, held_out: HeldOut | None) -> CalibrationData:
    """Measure phrases, each as a query that is not in the catalog. Without phrasings there is nothing to measure.

    Args:
        corpus: the catalog.
        folds: int64 (n,), the fold of each phrase; -1 for a phrase that is not measured.
        held_out: vectors and scores; None to measure only the lexical signals.
    """
    rows, owners, none = measured_rows(corpus, folds), corpus.owners, corpus.spans.labels
    inside = owners[rows] < none
    if not inside.any():
        rows, inside = rows[:0], inside[:0]
    width = min(none, MAX_ALTERNATIVES) + 1
    shown = np.zeros((len(rows), width, len(SIGNALS)), dtype=np.float32)
    hidden, unlearnt = shown.copy(), shown.copy()
    chosen = np.full(len(rows), width - 1, dtype=np.int64)
    unlearnt_scores = held_out.hidden if held_out else None
    for place, (row, values) in enumerate(held_out_signals(corpus, rows, folds, held_out)):
        owner = int(owners[row])
        kept = _alternatives(values, owner, width - 1, hide=False)
        _fill(shown[place], values, kept)
        if owner < none:
            chosen[place] = kept.tolist().index(owner)
            _fill(hidden[place], values, _alternatives(values, owner, width - 1, hide=True))
            if unlearnt_scores is not None:
                values[:-1, _KERNEL], values[-1, _NONE] = unlearnt_scores[row, :-1], unlearnt_scores[row, -1]
                _fill(unlearnt[place], values, _alternatives(values, owner, width - 1, hide=True))
    importance = _importance(corpus, rows)
    unnamed = inside & (importance[1] > 0)
    return CalibrationData(
        np.concatenate([shown, hidden[unnamed]]),
        np.concatenate([chosen, np.full(int(unnamed.sum()), width - 1)]),
        np.concatenate([importance[0], importance[1][unnamed]]),
        None if unlearnt_scores is None else np.concatenate([shown, unlearnt[unnamed]]),
    )


def halves_of_examples(corpus: Corpus) -> IntArray:
    """Halve the labels that have phrasings, so that those of one half can be left out together.

    With 3 examples for half of 25 labels of CLINC150, 0.15 of the queries in scope are `no_match` without this and 0.09
    with it, as without any examples; of HWU64 0.17 and 0.12 (`python -m benchmarks.few_examples`).

    Returns:
        int64 (n,), the half of each phrasing: 0 or 1; -1 for other phrases.
    """
    half_of = np.cumsum([*(bool(label.phrasings) for label in corpus.book.labels), False]) % 2
    asked = [phrase.kind == "phrasing" and phrase.label < corpus.spans.labels for phrase in corpus.phrases]
    return np.where(asked, half_of[corpus.owners], -1).astype(np.int64)


def held_out_signals(
    corpus: Corpus, rows: IntArray, folds: IntArray, held_out: HeldOut | None
) -> Iterator[tuple[int, FloatArray]]:
    """Yield each row with the signals that its phrase has if the phrases of its fold are left out.

    Args:
        corpus: the catalog.
        rows: int64 (k,), the phrases to use as queries.
        folds: int64 (n,), the fold of each phrase.
        held_out: vectors and scores; None for the lexical signals alone.

    Yields:
        The row, and float32 (labels + 1, signals).
    """
    for row, cosines in zip(rows.tolist(), _cosines(rows, held_out), strict=True):
        yield row, _signals(corpus, row, folds == folds[row], held_out, cosines)


def measured_rows(corpus: Corpus, folds: IntArray) -> IntArray:
    """List the rows to measure: phrasings, unless it is their label's only phrase, and what is outside."""
    asked = np.array([phrase.kind in ("phrasing", "background") for phrase in corpus.phrases], dtype=bool)
    return np.flatnonzero(asked & (folds >= 0) & (corpus.spans.sizes[corpus.owners] > 1))


def _importance(corpus: Corpus, rows: IntArray) -> tuple[DoubleArray, DoubleArray]:
    """Return how many queries each measured phrase stands for, as it is and with its label hidden: (n,) twice.

    Phrases of labels stand for one query each, or for `ONLY_EXAMPLE`; those that fit nothing, together, for the share
    that the catalog states. If it states none, they stand for `ASSUMED_SHARE`, or for less where its own out-of-scope
    phrases are enough and fewer: how many somebody lists does not say how many of the queries they are.
    """
    owners = corpus.owners[rows]
    inside = owners < corpus.spans.labels
    examples = np.array([*(len(label.phrasings) for label in corpus.book.labels), 0])
    asked = np.where(inside, np.where(examples[owners] == 1, ONLY_EXAMPLE, 1.0), 0.0)
    own, outside = corpus.book.shown_outside, (~inside).sum()
    nothing = corpus.book.assumed_beside(asked.sum(), min(len(corpus.book.out_of_scope), outside))
    by_hiding = HIDDEN_PART * (1 - own) if outside else 1.0
    shown = np.where(inside, asked, nothing * (1 - by_hiding) / max(outside, 1))
    return shown, asked * nothing * by_hiding / max(asked.sum(), 1)


def _fill(into: FloatArray, values: FloatArray, kept: IntArray) -> None:
    into[: len(kept)] = values[kept]
    into[-1] = values[-1]


def _cosines(rows: IntArray, held_out: HeldOut | None) -> Iterator[FloatArray]:
    """Yield the cosines of each row's phrase to all phrases, (n,); nothing without vectors."""
    for start in range(0, len(rows), _AT_A_TIME):
        some = rows[start : start + _AT_A_TIME]
        if held_out is None:
            yield from np.zeros((len(some), 0), dtype=np.float32)
        else:
            yield from held_out.vectors[some] @ held_out.vectors.T


def _signals(corpus: Corpus, row: int, unseen: BoolArray, held_out: HeldOut | None, cosines: FloatArray) -> FloatArray:
    """Compute the signals of one phrase, leaving out the phrases in `unseen`."""
    text = corpus.phrases[row].text
    lexical = LexicalSignals.of(corpus, text, unseen, besides=fold(text))
    if held_out is None:
        return assemble(None, lexical)
    whole = cosines[corpus.whole_rows]
    cosines[unseen] = 0
    model = ModelSignals.of(corpus, cosines, held_out.kernel[row])
    return assemble(replace(model, whole=whole, part=whole), lexical)


def _alternatives(values: FloatArray, owner: int, most: int, *, hide: bool) -> IntArray:
    """List the labels to compare for one query: the likeliest, including the right one unless it is hidden."""
    labels = len(values) - 1
    strength = values[:labels].sum(axis=1)
    if owner < labels:
        strength[owner] = -np.inf if hide else np.inf
    kept = np.argsort(-strength, kind="stable")[:most]
    return kept[kept != owner] if hide else kept
