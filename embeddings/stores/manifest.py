"""The data that a store keeps once for a whole catalog."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

import numpy as np

from embeddings.arrays import DoubleArray, FloatArray, require
from embeddings.index.fitted_index import SIGNALS
from embeddings.index.vector_product import Blocks
from embeddings.stores import arrays_blob
from embeddings.stores.record import StoredLabel
from embeddings.stores.terms import Spread
from embeddings.text.normalization import words
from embeddings.text.spelling import counts_in_spelling


@dataclass(frozen=True)
class Statistics:
    """Sums over the labels of a catalog, and over the phrases that no label fits.

    Attributes:
        labels: number of labels.
        grams: in how many phrases each character n-gram is.
        stems: in how many labels each stem is.
        length: number of stems of all labels together.
        words: in how many phrases each word is; spelling is corrected with them.
    """

    labels: int = 0
    grams: Spread = field(default_factory=Spread.nothing)
    stems: Spread = field(default_factory=Spread.nothing)
    length: int = 0
    words: Mapping[str, int] = field(default_factory=dict)

    def changed(
        self, added: Sequence[StoredLabel], removed: Sequence[StoredLabel] = (), *, labels: bool = True
    ) -> Self:
        """Return the sums after records came and went.

        Args:
            added: those that came.
            removed: those that went.
            labels: they are labels; otherwise, phrases that no label fits.
        """
        words_ = Counter(self.words)
        for record in added:
            words_.update(_words(record))
        for record in removed:
            words_.subtract(_words(record))
        phrases = sum(len(each.phrases) for each in added) - sum(len(each.phrases) for each in removed)
        grams = self.grams.changed([each.grams.keys for each in added], [each.grams.keys for each in removed], phrases)
        kept = {word: count for word, count in sorted(words_.items()) if count > 0}
        if not labels:
            return type(self)(self.labels, grams, self.stems, self.length, kept)
        more = len(added) - len(removed)
        return type(self)(
            self.labels + more,
            grams,
            self.stems.changed([each.stems.keys for each in added], [each.stems.keys for each in removed], more),
            self.length + sum(map(_length, added)) - sum(map(_length, removed)),
            kept,
        )


def _words(record: StoredLabel) -> Counter[str]:
    return Counter(word for text, _ in record.phrases for word in set(words(text)) if counts_in_spelling(word))


def _length(record: StoredLabel) -> int:
    return int(np.sum(record.stems.times, dtype=np.int64))


FORMAT: Final = 3

MAX_HEAD: Final = 64_000_000
"""Coefficients of the largest ranking head that is kept: 256 MB in each process that reads the store."""


FEW: Final = 128
"""Labels of a catalog that is read as a whole, however many phrases they have."""

FEW_THIN: Final = 1024
"""The same, if they have few phrases: a process reads and ranks them sooner than an engine proposes some of them."""

FEW_PHRASES: Final = 20_000
"""Most phrases of these."""


DRAWN: Final = 64
"""Labels that stand for those that are not proposed: how likely all of these are together is off by a third."""


@dataclass(frozen=True)
class Head:
    """The ranking head, which scores labels by the nearness of a query to all phrases that it was fitted to.

    Attributes:
        landmarks: the vectors of these phrases, m rows.
        coefficients: float32 (m, labels + 1); the last column is "none of them".
        keys: of the labels, column by column. A label without a column was added later, and the head says 0 of it.
    """

    landmarks: Blocks
    coefficients: FloatArray
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Manifest:
    """The data that a store keeps once for a whole catalog.

    Attributes:
        model: fingerprint of the encoder that made the vectors.
        catalog: identifies all that the labels and the phrases that no label fits say, in any order: hex.
        whitening: float32 (d, k), maps the encoder's vectors to the vectors that are compared.
        weights: float64 (signals,), of the conditional logit.
        statistics: sums over the labels and over the phrases that no label fits.
        outside: the phrases that no label fits, as a record with the key ""; None if there are none.
        head: the ranking head; None if it says nothing, or would be too large.
        approximate: whether labels changed since all this was fitted.
        english: whether the phrases are English.
        keys: of all labels, in the order of the catalog, if they are `few`; otherwise none.
        sample: keys of labels that were drawn from all with the same chance; see `drawn`.
    """

    model: str
    catalog: str
    whitening: FloatArray
    weights: DoubleArray
    statistics: Statistics
    outside: StoredLabel | None = None
    head: Head | None = None
    approximate: bool = False
    english: bool = True
    keys: tuple[str, ...] = ()
    sample: tuple[str, ...] = ()

    def changed(self, added: Sequence[StoredLabel], removed: Sequence[StoredLabel]) -> Self:
        """Return the manifest after labels came and went; a replaced label does both."""
        return replace(
            self,
            catalog=combined(self.catalog, [each.fingerprint for each in (*added, *removed)]),
            statistics=self.statistics.changed(added, removed),
            approximate=True,
            keys=self._keys_after(added, removed),
            sample=self._sample_after(added, removed),
        )

    def _sample_after(self, added: Sequence[StoredLabel], removed: Sequence[StoredLabel]) -> tuple[str, ...]:
        gone = {record.key for record in removed}
        return drawn([*(key for key in self.sample if key not in gone), *(record.key for record in added)])

    def _keys_after(self, added: Sequence[StoredLabel], removed: Sequence[StoredLabel]) -> tuple[str, ...]:
        put = {record.key: None for record in added}
        gone = {record.key for record in removed} - put.keys()
        kept = {key: None for key in self.keys if key not in gone} | put
        known = len(self.keys) == self.statistics.labels
        outside = len(self.outside.phrases) if self.outside else 0
        phrases = self.statistics.grams.size - outside + _phrases(added) - _phrases(removed)
        return tuple(kept) if known and few(len(kept), phrases) else ()

    def pack(self) -> bytes:
        """Return the manifest as bytes."""
        value: dict[str, Any] = {
            "format": FORMAT,
            "model": self.model,
            "catalog": self.catalog,
            "signals": list(SIGNALS),
            "approximate": self.approximate,
            "english": self.english,
            "labelKeys": self.keys,
            "sample": self.sample,
            "labels": self.statistics.labels,
            "length": self.statistics.length,
            "words": dict(self.statistics.words),
        }
        arrays: dict[str, Any] = {"whitening": self.whitening, "weights": self.weights}
        for name, spread in (("grams", self.statistics.grams), ("stems", self.statistics.stems)):
            value[name] = spread.size
            arrays |= {f"{name}_keys": spread.keys, f"{name}_texts": spread.texts}
        if self.outside:
            arrays["outside"] = np.frombuffer(self.outside.pack(), dtype=np.uint8)
        if self.head:
            value |= {"keys": self.head.keys, "width": self.head.landmarks.width}
            arrays |= {"values": self.head.landmarks.values, "scales": self.head.landmarks.scales}
            arrays["coefficients"] = self.head.coefficients
        return arrays_blob.pack(value, arrays)

    @classmethod
    def unpack(cls, content: bytes) -> Self:
        """Return the manifest in bytes.

        Raises:
            ValueError: the bytes are not what `pack` writes, or this version of the program does not read them.
        """
        try:
            value, arrays = arrays_blob.unpack(content)
            require(value["format"] == FORMAT and value["signals"] == list(SIGNALS), "the format is known")
            spreads = [
                Spread(value[name], arrays[f"{name}_keys"], arrays[f"{name}_texts"]) for name in ("grams", "stems")
            ]
            for spread in spreads:
                spread.check()
            found = cls(
                value["model"],
                value["catalog"],
                arrays["whitening"],
                arrays["weights"],
                Statistics(value["labels"], spreads[0], spreads[1], value["length"], value["words"]),
                StoredLabel.unpack(arrays["outside"].tobytes()) if "outside" in arrays else None,
                _head(value, arrays) if "keys" in value else None,
                value["approximate"],
                value["english"],
                tuple(value["labelKeys"]),
                tuple(value["sample"]),
            )
        except ValueError:
            raise
        except Exception as error:
            raise ValueError(f"it is not a manifest ({type(error).__name__}: {error})") from error
        require(len(found.weights) == len(SIGNALS), "there is one weight for each signal")
        return found


def _head(value: Any, arrays: dict[str, Any]) -> Head:
    landmarks = Blocks(arrays["values"], arrays["scales"], value["width"])
    coefficients, keys = arrays["coefficients"], tuple(value["keys"])
    require(coefficients.shape == (len(landmarks.values), len(keys) + 1), "there is one coefficient a phrase and label")
    return Head(landmarks, coefficients, keys)


def few(labels: int, phrases: int) -> bool:
    """Return whether a catalog of this size is read as a whole, so that no label has to be proposed."""
    return labels <= FEW or (labels <= FEW_THIN and phrases <= FEW_PHRASES)


def _phrases(records: Sequence[StoredLabel]) -> int:
    return sum(len(record.phrases) for record in records)


def drawn(keys: Iterable[str]) -> tuple[str, ...]:
    """Draw at most `DRAWN` of some keys: those with the least hashes, so that it stays a sample when labels change."""
    return tuple(sorted({*keys}, key=lambda key: hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest())[:DRAWN])


def combined(catalog: str, fingerprints: Sequence[str]) -> str:
    """Add or take away fingerprints of labels, in any order: their exclusive or, so that the same one twice is none."""
    number = int(catalog or "0", 16)
    for fingerprint in fingerprints:
        number ^= int(fingerprint, 16)
    return f"{number:064x}"
