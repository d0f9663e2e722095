"""A catalog after one label came or went."""

from collections.abc import Sequence
from dataclasses import replace

from embeddings.errors import PhraseBookError
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.text.normalization import fold


def with_label(book: PhraseBook, label: Label) -> PhraseBook:
    """The catalog with a label added, or put in the place of the one with its id or, without an id, its name.

    Raises:
        PhraseBookError: the label cannot be used, or another one has its name and not both have ids.
    """
    (label,) = PhraseBook((label,)).labels
    replaced = any(_is_same(each, label) for each in book.labels)
    labels = [label if _is_same(each, label) else each for each in book.labels]
    return replace(book, labels=tuple(labels if replaced else [*labels, label]), reports=())


def without_label(book: PhraseBook, name: str) -> PhraseBook:
    """The catalog without the labels with exactly this id, else with this name but for case and punctuation.

    Raises:
        PhraseBookError: no label would be left.
    """
    gone = labels_removed(book.labels, name)
    kept = tuple(label for label in book.labels if label not in gone)
    if not kept:
        raise PhraseBookError(
            f"{name!r} is the last label; a catalog has at least one; put another one first, or build another catalog"
        )
    return replace(book, labels=kept, reports=()) if gone else book


def labels_removed(labels: Sequence[Label], name: str) -> list[Label]:
    """Those of the labels with exactly this id; if there are none, those with this name but for its spelling."""
    gone = [label for label in labels if label.id and label.id == name.strip()]
    return gone or [label for label in labels if fold(label.name) == fold(name)]


def labels_called(labels: Sequence[Label], name: str) -> list[Label]:
    """Those with exactly this id or name; if there are none, those with this name but for case and punctuation."""
    spelled = name.strip()
    exact = [label for label in labels if spelled in {label.id, label.name}]
    return exact or [label for label in labels if fold(label.name) == fold(name)]


def _is_same(one: Label, other: Label) -> bool:
    if one.id or other.id:
        return one.id == other.id
    return fold(one.name) == fold(other.name)
