"""Why a phrase was matched as it was."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from embeddings.phrase_index import PhraseIndex
from embeddings.ranking import Ranking
from embeddings.signals import SIGNALS


@dataclass(frozen=True)
class CandidateExplanation:
    """One label's case.

    Attributes:
        name: the label.
        match_confidence: its probability.
        parts: each signal's part in the score: weight times value, signals without a part left out.
        phrase: the label's phrase that is nearest to the query; empty for "none" without phrases.
        kind: what that phrase is to the label.
        nearness: its cosine to the query, or its n-gram similarity in degraded mode.
    """

    name: str
    match_confidence: float
    parts: dict[str, float]
    phrase: str
    kind: str
    nearness: float

    def to_dict(self) -> dict[str, Any]:
        """JSON value, camelCase."""
        return {
            "name": self.name,
            "matchConfidence": round(self.match_confidence, 3),
            "parts": {signal: round(part, 3) for signal, part in self.parts.items()},
            "phrase": self.phrase,
            "kind": self.kind,
            "nearness": round(self.nearness, 3),
        }


@dataclass(frozen=True)
class Explanation:
    """The cases of the top candidates, and the case that nothing fits.

    Attributes:
        query: the phrase as given.
        read_as: the phrase with its spelling corrected.
        named: the label that the phrase names or is an alias of, which decides alone; None otherwise.
        candidates: best first; the last is "none of them".
    """

    query: str
    read_as: str
    named: str | None
    candidates: tuple[CandidateExplanation, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON value, camelCase; what is absent is left out."""
        value: dict[str, Any] = {"candidates": [candidate.to_dict() for candidate in self.candidates]}
        if self.read_as != self.query:
            value["readAs"] = self.read_as
        if self.named:
            value["named"] = self.named
        return value

    def to_text(self) -> str:
        """Lines for people."""
        lines = [f"  read as {self.read_as!r}"] if self.read_as != self.query else []
        if self.named:
            lines.append(f"  names {self.named} outright, which decides; by its words alone:")
        for candidate in self.candidates:
            parts = ", ".join(f"{signal} {part:+.2f}" for signal, part in candidate.parts.items())
            lines.append(f"  {candidate.match_confidence:6.1%}  {candidate.name}: {parts}")
            if candidate.phrase:
                lines.append(f"          nearest {candidate.kind}, {candidate.nearness:.2f}: {candidate.phrase!r}")
        return "\n".join(lines)


NONE_NAME = "(none of them)"


def explain(index: PhraseIndex, query: str, ranking: Ranking, named: int | None, top: int) -> Explanation:
    """Lay a ranking open for its `top` labels and for "none"."""
    labels = [int(label) for label in ranking.order()[:top]]
    none = index.spans.labels
    return Explanation(
        query=query,
        read_as=ranking.read_as,
        named=index.book.labels[named].name if named is not None else None,
        candidates=tuple(_candidate(index, ranking, label) for label in [*labels, none]),
    )


def _candidate(index: PhraseIndex, ranking: Ranking, label: int) -> CandidateExplanation:
    parts = ranking.signals[label] * ranking.weights
    text, kind, nearness = "", "", 0.0
    if index.spans.sizes[label]:
        phrase, nearness = index.nearest_phrase(label, ranking.nearness)
        text, kind = phrase.text, phrase.kind
    return CandidateExplanation(
        name=index.book.labels[label].name if label < index.spans.labels else NONE_NAME,
        match_confidence=ranking.confidence(label),
        parts={signal: float(part) for signal, part in zip(SIGNALS, parts, strict=True) if not np.isclose(part, 0)},
        phrase=text,
        kind=kind,
        nearness=nearness,
    )
