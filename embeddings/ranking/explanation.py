"""Explains how a phrase was matched."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from embeddings.index.fitted_index import SIGNALS
from embeddings.labels.corpus import Corpus
from embeddings.ranking.match_result import with_id
from embeddings.ranking.ranking import Ranking
from embeddings.text.normalization import fold

NEAREST: Final = 3
"""Number of a candidate's nearest phrases that an explanation has."""


_NOTHING: Final = 1e-8
"""A part of at most this size is left out."""


@dataclass(frozen=True)
class NearPhrase:
    """A phrase of a label, and how near it is to the query.

    Attributes:
        text: the phrase.
        kind: its role: name, alias, whole, description, phrasing, or generated: a phrasing that a language model
            wrote.
        nearness: its cosine to the query, or its n-gram similarity in degraded mode.
    """

    text: str
    kind: str
    nearness: float


@dataclass(frozen=True)
class CandidateExplanation:
    """How one candidate was scored.

    Attributes:
        name: the label.
        match_confidence: its probability.
        parts: each signal's part in the score, weight times value; signals whose part is 0 are left out.
        nearest: the label's phrases that are nearest to the query, nearest first; empty for "none" if it has no
            phrases.
        id: what the catalog's owner calls the label; empty if there is none.
    """

    name: str
    match_confidence: float
    parts: dict[str, float]
    nearest: tuple[NearPhrase, ...]
    id: str = ""

    @property
    def phrase(self) -> str:
        """The nearest phrase; empty if there is none."""
        return self.nearest[0].text if self.nearest else ""

    @property
    def kind(self) -> str:
        """The role of the nearest phrase; empty if there is none."""
        return self.nearest[0].kind if self.nearest else ""

    @property
    def nearness(self) -> float:
        """The nearness of the nearest phrase; 0 if there is none."""
        return self.nearest[0].nearness if self.nearest else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON value with camelCase keys."""
        return {
            "name": self.name,
            "matchConfidence": round(self.match_confidence, 3),
            "parts": {signal: round(part, 3) for signal, part in self.parts.items()},
            "phrase": self.phrase,
            "kind": self.kind,
            "nearness": round(self.nearness, 3),
            **({"id": self.id} if self.id else {}),
        }


@dataclass(frozen=True)
class Explanation:
    """How the top candidates and "none of them" were scored.

    Attributes:
        query: the phrase as given.
        read_as: the phrase with its spelling corrected.
        named: the label whose name or unshared alias the phrase is, which alone decides the match; None otherwise.
        candidates: best first; "none of them" is last.
        approximate: whether the catalog was updated since the ranking was fitted to all of it.
    """

    query: str
    read_as: str
    named: str | None
    candidates: tuple[CandidateExplanation, ...]
    approximate: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON value with camelCase keys; absent values are left out."""
        value: dict[str, Any] = {"candidates": [candidate.to_dict() for candidate in self.candidates]}
        if self.read_as != self.query:
            value["readAs"] = self.read_as
        if self.named:
            value["named"] = self.named
        if self.approximate:
            value["approximate"] = True
        return value

    def to_text(self) -> str:
        """Return lines for a person to read."""
        lines = [f"  read as {self.read_as!r}"] if self.read_as != self.query else []
        if self.named:
            lines.append(f"  names {self.named} outright, which decides the match; scores without that:")
        known = Counter(fold(candidate.name) for candidate in self.candidates)
        for candidate in self.candidates:
            parts = ", ".join(f"{signal} {part:+.2f}" for signal, part in candidate.parts.items())
            name = with_id(candidate.name, candidate.id) if known[fold(candidate.name)] > 1 else candidate.name
            lines.append(f"  {candidate.match_confidence:6.1%}  {name}: {parts}")
            if candidate.phrase:
                lines.append(f"          nearest {candidate.kind}, {candidate.nearness:.2f}: {candidate.phrase!r}")
        if self.approximate:
            lines.append("  approximate: the catalog was updated since the ranking was fitted to all of it")
        return "\n".join(lines)


NONE_NAME = "(none of them)"


def explain(corpus: Corpus, query: str, ranking: Ranking, named: Sequence[int], labels: Sequence[int]) -> Explanation:
    """Explain a ranking for some labels and for "none".

    Args:
        corpus: the catalog.
        query: the phrase as given.
        ranking: its ranking.
        named: the labels whose name or alias the phrase is.
        labels: those to explain, in the order of the candidates.
    """
    none = corpus.spans.labels
    return Explanation(
        query=query,
        read_as=ranking.read_as,
        named=corpus.book.labels[named[0]].name if len(named) == 1 else None,
        candidates=tuple(_candidate(corpus, ranking, label) for label in [*labels, none]),
    )


def _candidate(corpus: Corpus, ranking: Ranking, label: int) -> CandidateExplanation:
    parts = ranking.signals[label] * ranking.weights
    near = corpus.nearest_phrases(label, ranking.nearness, NEAREST)
    meant = None if label == corpus.spans.labels else corpus.book.labels[label]
    generated = meant.generated if meant else frozenset()
    return CandidateExplanation(
        name=meant.name if meant else NONE_NAME,
        id=meant.id if meant else "",
        match_confidence=ranking.confidence(label),
        parts={signal: part for signal, part in zip(SIGNALS, parts.tolist(), strict=True) if abs(part) > _NOTHING},
        nearest=tuple(
            NearPhrase(phrase.text, "generated" if phrase.text in generated else phrase.kind, nearness)
            for phrase, nearness in near
        ),
    )
