"""Finds texts that stand for more than one meaning, which nobody may have meant."""

from collections.abc import Sequence

from embeddings.labels.label import Label
from embeddings.labels.strictness import brief
from embeddings.text.normalization import fold


def overlaps(labels: Sequence[Label], out_of_scope: Sequence[str]) -> list[str]:
    """Describe the phrasings that several labels have, or that are also out of scope, ignoring case and punctuation."""
    owners: dict[str, dict[str, str]] = {}
    for label in labels:
        for text in label.phrasings:
            owners.setdefault(fold(text), {}).setdefault(label.id or label.name, text)
    outside = {fold(text) for text in out_of_scope}
    found = []
    for folded, texts in owners.items():
        first = next(iter(texts.values()))
        if len(texts) > 1:
            shared = " and ".join(repr(name) for name in texts)
            found.append(f"the phrasing {brief(first)} stands under {shared}; a phrase like it can mean any of them")
        if folded in outside:
            (name, *_) = texts
            found.append(
                f"the phrasing {brief(first)} of {name!r} is also in outOfScope; a phrase like it can mean the label "
                "or none"
            )
    return found
