"""Finds skills whose description promises what their body lacks."""

from collections.abc import Iterator, Sequence
from typing import Final

from embeddings.encoder.protocol import TextEncoder
from embeddings.labels.skills import BODY
from embeddings.preflight.finding import Finding
from embeddings.preflight.reading import Entry
from embeddings.text.normalization import sentences
from embeddings.training.build import embed

KEPT: Final = 0.36
"""Cosine of a sentence of a description to the nearest piece of the body from which on the body keeps it. Of 60 public
skills every sentence has at least 0.43; ten sentences that were added to ten of them, about what they do not do, have
at most 0.30. With this value, eight of ten others are found, and none in 121 further skills. A promise within a
sentence that is kept otherwise is not found."""


def unkept(entries: Sequence[Entry], encoder: TextEncoder) -> Iterator[Finding]:
    """Yield a finding for each sentence of a skill's description that nothing in its body is about."""
    for entry in entries:
        body, description = entry.label.fields.get(BODY), entry.label.description
        if not body or not description:
            continue
        promised = sentences(description) or [description]
        nearest = (embed(promised, encoder) @ embed(body, encoder).T).max(axis=1).tolist()
        for sentence, cosine in zip(promised, nearest, strict=True):
            if cosine < KEPT:
                yield Finding(
                    "unkept",
                    "warning",
                    entry.called,
                    "say in the body how it is done, or leave it out of the description",
                    entry.pointer,
                    phrase=sentence,
                    texts=(description, *body),
                )
