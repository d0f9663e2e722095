"""Vectors of texts: their file, and the encoder that embeds only what is not stored."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from embeddings.encoder.caching import HalfArray, StoredEncoder, half, key_of, read, write
from embeddings.errors import VectorFileError
from tests.toy import ToyEncoder

TEXTS = ["undo it", "connect tools", "see a picture and undo"]


class Memory:
    """A store without a file."""

    def __init__(self) -> None:
        self.vectors: dict[str, HalfArray] = {}

    def get(self, text: str) -> HalfArray | None:
        return self.vectors.get(text)

    def add(self, vectors: Iterable[tuple[str, HalfArray]]) -> None:
        self.vectors |= dict(vectors)


def test_only_texts_that_are_not_stored_are_embedded() -> None:
    store, first, second = Memory(), ToyEncoder(), ToyEncoder()
    StoredEncoder(first, store).encode(TEXTS[:2])
    encoder = StoredEncoder(second, store)
    encoder.encode([*TEXTS, *TEXTS])
    assert (second.encoded, encoder.embedded) == (TEXTS[2:], 1)


def test_stored_and_new_vectors_are_the_same() -> None:
    store = Memory()
    new = StoredEncoder(ToyEncoder(), store).encode(TEXTS)
    stored = StoredEncoder(ToyEncoder(), store).encode(TEXTS)
    assert np.array_equal(new, stored)
    assert stored.dtype == np.float32
    np.testing.assert_allclose(new, ToyEncoder().encode(TEXTS), atol=1e-3)


def test_no_texts_have_no_vectors() -> None:
    assert StoredEncoder(ToyEncoder(), Memory()).encode([]).shape == (0, 3)


def test_pending_counts_announced_texts_that_are_not_embedded_yet() -> None:
    encoder = StoredEncoder(ToyEncoder(), Memory())
    encoder.encode(TEXTS[:1])
    encoder.expect(TEXTS)
    assert encoder.pending == 2
    encoder.encode(TEXTS[:2])
    assert encoder.pending == 1


def test_the_embedder_is_chosen_by_how_much_is_new() -> None:
    asked: list[int] = []

    def choose(count: int) -> ToyEncoder:
        asked.append(count)
        return ToyEncoder()

    encoder = StoredEncoder(ToyEncoder(), Memory(), choose)
    encoder.expect(TEXTS)
    encoder.encode(TEXTS[:1])
    encoder.encode(TEXTS[:1])
    encoder.encode(TEXTS)
    assert asked == [3, 2]


def test_it_is_the_same_model() -> None:
    encoder, inner = StoredEncoder(ToyEncoder(), Memory()), ToyEncoder()
    assert (encoder.fingerprint, encoder.dimensions, encoder.languages) == (inner.fingerprint, 3, ())
    assert encoder.knows("undo")


def rows() -> list[tuple[bytes, HalfArray]]:
    return [(key_of(text), vector) for text, vector in zip(TEXTS, half(ToyEncoder().encode(TEXTS)), strict=True)]


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    write(tmp_path / "a.npz", rows())
    found = read(tmp_path / "a.npz", 3)
    assert [key for key, _ in found] == [key for key, _ in rows()]
    assert np.array_equal(np.stack([vector for _, vector in found]), np.stack([vector for _, vector in rows()]))


def test_vectors_of_another_length_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.npz", rows())
    with pytest.raises(VectorFileError, match="arrays of"):
        read(tmp_path / "a.npz", 4)


def test_a_file_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    for part in [0.0, 0.3, 0.9]:
        write(tmp_path / "a.npz", rows())
        content = (tmp_path / "a.npz").read_bytes()
        (tmp_path / "a.npz").write_bytes(content[: int(len(content) * part)])
        with pytest.raises(VectorFileError, match="delete it"):
            read(tmp_path / "a.npz", 3)


def test_other_arrays_are_refused(tmp_path: Path) -> None:
    cases: list[dict[str, np.ndarray]] = [
        {"keys": np.zeros((1, 16), np.uint8)},
        {"keys": np.zeros((1, 16), np.uint8), "vectors": np.zeros((1, 3), np.float32)},
        {"keys": np.zeros((2, 16), np.uint8), "vectors": np.zeros((1, 3), np.float16)},
        {"keys": np.zeros((1, 16), np.uint8), "vectors": np.full((1, 3), np.nan, np.float16)},
        {"keys": np.array([{}]), "vectors": np.zeros((1, 3), np.float16)},
        {"keys": np.zeros((), np.uint8), "vectors": np.zeros((), np.float16)},
    ]
    for arrays in cases:
        np.savez(tmp_path / "a.npz", allow_pickle=True, **arrays)
        with pytest.raises(VectorFileError, match="delete it"):
            read(tmp_path / "a.npz", 3)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VectorFileError, match="cannot be used"):
        read(tmp_path / "a.npz", 3)
