"""A label under its key with the phrases that stand for it, before they have vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from embeddings.index.quantization import Blocks
from embeddings.index.stores.record import StoredLabel, fingerprint, key_of
from embeddings.labels.label import Label, PhraseKind
from embeddings.labels.phrase_book import PhraseBook


@dataclass(frozen=True)
class KeyedLabel:
    """A label that is to be stored."""

    key: str
    label: Label
    phrases: tuple[tuple[str, PhraseKind], ...]

    @cached_property
    def fingerprint(self) -> str:
        """That of its record."""
        return fingerprint(self.label, self.phrases)

    def record(self, blocks: Blocks) -> StoredLabel:
        """Its record, with the vectors of its phrases."""
        return StoredLabel.of(self.key, self.label, self.phrases, blocks)


def keyed_labels(book: PhraseBook) -> list[KeyedLabel]:
    """The labels of a catalog, in its order."""
    return [
        KeyedLabel(
            key_of(book.labels[index]), book.labels[index], tuple((phrase.text, phrase.kind) for phrase in phrases)
        )
        for index, phrases in groupby(book.phrases(), lambda phrase: phrase.label)
    ]


def texts_of(labels: Sequence[KeyedLabel]) -> list[str]:
    """The texts of all phrases of labels, label by label."""
    return [text for label in labels for text, _ in label.phrases]


def records_of(labels: Sequence[KeyedLabel], blocks: Blocks) -> list[StoredLabel]:
    """The records of labels, whose vectors stand label by label."""
    records, start = [], 0
    for label in labels:
        end = start + len(label.phrases)
        records.append(label.record(blocks.rows(slice(start, end))))
        start = end
    return records
