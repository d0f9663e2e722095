"""A label as stores keep it: all that ranking it needs, so that no other label and no analysis of texts is needed."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, Final, Protocol, Self, TypeVar, get_args

import numpy.typing as npt

from embeddings.arrays import require
from embeddings.index.vector_product import Blocks
from embeddings.labels.label import Label, PhraseKind
from embeddings.labels.phrase_book import PhraseBook
from embeddings.labels.reading import read_label
from embeddings.stores import arrays_blob
from embeddings.stores.terms import Terms
from embeddings.text.char_ngrams import grams
from embeddings.text.normalization import fold
from embeddings.text.word_index import hashed_stems

_KINDS: Final = frozenset(get_args(PhraseKind))

NONE_KEY: Final = ""
"""Key of the record of the phrases that no label fits; no label has it."""


def key_of(label: Label) -> str:
    """Return the key that identifies a label within its catalog: its id, else its folded name."""
    return f"id:{label.id}" if label.id else f"name:{fold(label.name)}"


@dataclass(frozen=True)
class StoredLabel:
    """A label with its phrases, their vectors, and their counted terms.

    Attributes:
        key: identifies it; see `key_of`.
        label: the label.
        phrases: the texts that stand for it, each with its role; see `Phrase`.
        blocks: the vectors of the phrases, in this order.
        grams: their character n-grams.
        stems: the stems of the label's words, as those of one text.
    """

    key: str
    label: Label
    phrases: tuple[tuple[str, PhraseKind], ...]
    blocks: Blocks
    grams: Terms
    stems: Terms

    @classmethod
    def of(cls, key: str, label: Label, phrases: tuple[tuple[str, PhraseKind], ...], blocks: Blocks) -> Self:
        """Count the terms of a label."""
        words = Counter(hashed_stems(" ".join(label.words())))
        return cls(key, label, phrases, blocks, Terms.of([grams(text) for text, _ in phrases]), Terms.of([words]))

    @cached_property
    def fingerprint(self) -> str:
        """Identifies what the label and its phrases say: hex sha256. Vectors are not part of it."""
        return fingerprint(self.label, self.phrases)

    @property
    def named(self) -> frozenset[str]:
        """Texts that name it exactly: its folded name and aliases, and its id."""
        texts = {fold(text) for text in (self.label.name, *self.label.aliases)}
        return frozenset(text for text in (*texts, self.label.id) if text)

    def pack(self, *, vectors: bool = True) -> bytes:
        """Return the record as bytes; without its vectors if these are kept elsewhere."""
        value = {"key": self.key, "label": _described(self.label), "phrases": self.phrases, "width": self.blocks.width}
        arrays: dict[str, npt.NDArray[Any]] = {}
        if vectors:
            arrays |= {"values": self.blocks.values, "scales": self.blocks.scales}
        for name, terms in (("grams", self.grams), ("stems", self.stems)):
            arrays |= {f"{name}_{part}": array for part, array in vars(terms).items()}
        return arrays_blob.pack(value, arrays)

    @classmethod
    def unpack(cls, content: bytes, blocks: Blocks | None = None) -> Self:
        """Return the record in bytes.

        Args:
            content: what `pack` wrote.
            blocks: the vectors, if the record was written without them.

        Raises:
            ValueError: the bytes are not what `pack` writes.
        """
        try:
            value, arrays = arrays_blob.unpack(content)
            found = cls(
                value["key"],
                # A book checked it before it was packed, and the names of one label cannot be those of another.
                read_label(value["label"], "label", strict=False),
                tuple([(text, kind) for text, kind in value["phrases"]]),
                blocks or Blocks(arrays["values"], arrays["scales"], value["width"]),
                Terms(arrays["grams_keys"], arrays["grams_texts"], arrays["grams_times"]),
                Terms(arrays["stems_keys"], arrays["stems_texts"], arrays["stems_times"]),
            )
            found.check()
        except ValueError:
            raise
        except Exception as error:
            raise ValueError(f"it is not a label's record ({type(error).__name__}: {error})") from error
        return found

    def check(self) -> None:
        """Raise ValueError unless the parts belong together."""
        count = len(self.phrases)
        require(count > 0 and _KINDS.issuperset([kind for _, kind in self.phrases]), "phrases have a known role")
        require(self.blocks.values.ndim == 3 and self.blocks.values.dtype == "u1", "vectors are 8-bit blocks")
        require(self.blocks.values.shape[:2] == self.blocks.scales.shape, "each block has a scale")
        require(len(self.blocks.values) == count, "there is one vector for each phrase")
        self.grams.check(count)
        self.stems.check(1)


def fingerprint(label: Label, phrases: tuple[tuple[str, PhraseKind], ...]) -> str:
    """See `StoredLabel.fingerprint`."""
    value = json.dumps([_described(label), phrases], ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()


def _described(label: Label) -> dict[str, Any]:
    (value,) = PhraseBook((label,)).to_dict()["labels"]
    return dict(value)


@dataclass(frozen=True)
class KeyedLabel:
    """A label that is to be stored."""

    key: str
    label: Label
    phrases: tuple[tuple[str, PhraseKind], ...]

    @cached_property
    def fingerprint(self) -> str:
        """Fingerprint of its record."""
        return fingerprint(self.label, self.phrases)

    def record(self, blocks: Blocks) -> StoredLabel:
        """Return its record, with the vectors of its phrases."""
        return StoredLabel.of(self.key, self.label, self.phrases, blocks)


def keyed_labels(book: PhraseBook) -> list[KeyedLabel]:
    """Return the labels of a catalog, in its order."""
    return [
        KeyedLabel(
            key_of(book.labels[index]), book.labels[index], tuple((phrase.text, phrase.kind) for phrase in phrases)
        )
        for index, phrases in groupby(book.phrases(), lambda phrase: phrase.label)
    ]


def texts_of(labels: Sequence[KeyedLabel]) -> list[str]:
    """Return the texts of all phrases of labels, label by label."""
    return [text for label in labels for text, _ in label.phrases]


def records_of(labels: Sequence[KeyedLabel], blocks: Blocks) -> list[StoredLabel]:
    """Return the records of labels, whose vectors stand label by label."""
    records, start = [], 0
    for label in labels:
        end = start + len(label.phrases)
        records.append(label.record(blocks.rows(slice(start, end))))
        start = end
    return records


class _WithPhrases(Protocol):
    @property
    def phrases(self) -> Sized: ...


Keyed = TypeVar("Keyed", bound=_WithPhrases)


def batches(labels: Iterable[Keyed], phrases: int) -> Iterator[list[Keyed]]:
    """Cut labels into batches, which depend on nothing but the labels.

    Args:
        labels: each is used before the next one is asked for.
        phrases: a batch ends with the label that reaches so many.
    """
    batch: list[Keyed] = []
    filled = 0
    for label in labels:
        batch.append(label)
        filled += len(label.phrases)
        if filled >= phrases:
            yield batch
            batch, filled = [], 0
    if batch:
        yield batch
