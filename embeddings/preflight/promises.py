"""Finds what the description of a skill promises and its body lacks."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from embeddings.arrays import FloatArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.labels.skills import BODY
from embeddings.preflight.finding import Finding, Severity
from embeddings.preflight.reading import Entry
from embeddings.text.normalization import sentences
from embeddings.text.words import stems
from embeddings.training.build import embed

KEPT: Final = 0.36
"""Cosine of a sentence of a description to the nearest piece of the body from which on the body keeps it. Of 60 public
skills every sentence has at least 0.43; ten sentences that were added to ten of them, about what they do not do, have
at most 0.30. With this value, eight of ten others are found, and none in 121 further skills."""

KEPT_PART: Final = 0.35
"""Cosine from which on the body keeps a part of a sentence, whatever its words."""

KEPT_WORDS: Final = 1 / 3
"""Share of the words of a part above which the body keeps it."""

MIN_WORDS: Final = 3
"""Minimum words of a part that promises something.

With these three, 23 of 38 parts that were added to a sentence of 38 public skills by somebody who had seen their names
and descriptions are found; of ten promises by a third author, half of them whole sentences, five are, one of these as a
sentence. Of 159 skills as they are, on which the values were chosen, 6 get a note, and 29 of 468 others; some of these
parts are indeed not in the body."""

LONG: Final = 20
"""Pieces from which on a body says so much that its words tell whether a part is kept. Of 20 terse skills by another
author, with 8 to 18 pieces, 11 would be noted for a part that the body keeps in other words."""

_BETWEEN: Final = re.compile(
    r"\s*[,;:]\s+(?:and\s+|or\s+)?|\s+(?:and|or)\s+|\s+[-\u2013\u2014]+\s+|[()]", re.IGNORECASE
)
"""What stands between the parts of a sentence."""

_LITTLE: Final = frozenset(stems("use using used user users ask asks want wants need needs skill helps including"))
"""Words that promise nothing."""


def unkept(entries: Sequence[Entry], encoder: TextEncoder) -> Iterator[Finding]:
    """Yield a finding for each sentence of a skill's description that nothing in its body is about, and for each part.

    A sentence is a warning. A part is a note: the body may keep it in other words.
    """
    for entry in entries:
        body, description = entry.label.fields.get(BODY), entry.label.description
        if not body or not description:
            continue
        vectors = embed(body, encoder)
        promised = sentences(description) or [description]
        lacking = _far(promised, vectors, KEPT, encoder)
        yield from (_finding(entry, "warning", sentence) for sentence in lacking)
        if len(body) < LONG:
            continue
        parts = _unsaid([part for each in promised if each not in lacking for part in _parts(each)], entry)
        yield from (_finding(entry, "note", part) for part in _far(parts, vectors, KEPT_PART, encoder))


def _finding(entry: Entry, severity: Severity, promise: str) -> Finding:
    return Finding(
        "unkept",
        severity,
        entry.called,
        "say in the body how it is done, or leave it out of the description",
        entry.pointer,
        phrase=promise,
        texts=(entry.label.description, *entry.label.fields[BODY]),
    )


def _far(texts: Sequence[str], body: FloatArray, kept: float, encoder: TextEncoder) -> list[str]:
    """Return the texts that no piece of a body is as near to as `kept`."""
    if not texts:
        return []
    nearest = (embed(texts, encoder) @ body.T).max(axis=1).tolist()
    return [text for text, cosine in zip(texts, nearest, strict=True) if cosine < kept]


def _parts(sentence: str) -> list[str]:
    """Split a sentence at commas, brackets, dashes, "and" and "or"; a sentence of one part has none."""
    parts = [part.strip(" .!?\"'") for part in _BETWEEN.split(sentence)]
    return parts if len(parts) > 1 else []


def _unsaid(parts: Sequence[str], entry: Entry) -> list[str]:
    """Return the parts of whose words a skill's whole body has few."""
    said = frozenset(stem for line in entry.raw[BODY].splitlines() for stem in stems(line))
    found = [(part, [stem for stem in stems(part) if stem not in _LITTLE]) for part in parts]
    return [
        part
        for part, words in found
        if len(words) >= MIN_WORDS and sum(word in said for word in words) <= KEPT_WORDS * len(words)
    ]
