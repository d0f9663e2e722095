"""Explains how a phrase was matched."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from embeddings.index.signal_names import SIGNALS
from embeddings.labels.corpus import Corpus
from embeddings.ranking.match_result import with_id
from embeddings.ranking.ranking import Ranking
from embeddings.text.normalization import fold


@dataclass(frozen=True)
class CandidateExplanation:
    """How one candidate was scored.

    Attributes:
        name: the label.
        match_confidence: its probability.
        parts: each signal's part in the score, weight times value; signals whose part is 0 are left out.
        phrase: the label's phrase that is nearest to the query; empty for "none" if it has no phrases.
        kind: the role of that phrase: name, alias, description or phrasing.
        nearness: its cosine to the query, or its n-gram similarity in degraded mode.
        id: what the catalog's owner calls the label; empty if there is none.
    """

    name: str
    match_confidence: float
    parts: dict[str, float]
    phrase: str
    kind: str
    nearness: float
    id: str = ""

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


def explain(corpus: Corpus, query: str, ranking: Ranking, named: int | None, top: int) -> Explanation:
    """Explain a ranking for its `top` labels and for "none"."""
    labels = [int(label) for label in ranking.order()[:top]]
    none = corpus.spans.labels
    return Explanation(
        query=query,
        read_as=ranking.read_as,
        named=corpus.book.labels[named].name if named is not None else None,
        candidates=tuple(_candidate(corpus, ranking, label) for label in [*labels, none]),
    )


def _candidate(corpus: Corpus, ranking: Ranking, label: int) -> CandidateExplanation:
    parts = ranking.signals[label] * ranking.weights
    text, kind, nearness = "", "", 0.0
    if corpus.spans.sizes[label]:
        phrase, nearness = corpus.nearest_phrase(label, ranking.nearness)
        text, kind = phrase.text, phrase.kind
    is_none = label == corpus.spans.labels
    return CandidateExplanation(
        name=NONE_NAME if is_none else corpus.book.labels[label].name,
        id="" if is_none else corpus.book.labels[label].id,
        match_confidence=ranking.confidence(label),
        parts={signal: float(part) for signal, part in zip(SIGNALS, parts, strict=True) if not np.isclose(part, 0)},
        phrase=text,
        kind=kind,
        nearness=nearness,
    )
