import numpy as np

from embeddings.encoder.caching import CachedEncoder
from tests.toy import ToyEncoder

TEXTS = ["undo it", "see a picture", "undo it", "connect"]


def test_vectors_are_those_of_the_encoder_in_the_order_asked() -> None:
    cached = CachedEncoder(ToyEncoder())
    cached.encode(TEXTS[2:])
    assert np.array_equal(cached.encode(TEXTS), ToyEncoder().encode(TEXTS))


def test_a_text_is_encoded_once() -> None:
    inner = ToyEncoder()
    cached = CachedEncoder(inner)
    cached.encode(TEXTS)
    cached.encode(TEXTS[::-1])
    assert sorted(inner.encoded) == sorted(set(TEXTS))


def test_no_texts_give_no_rows() -> None:
    assert CachedEncoder(ToyEncoder()).encode([]).shape == (0, 3)


def test_filling_tells_how_far_it_is() -> None:
    inner, told = ToyEncoder(), []
    texts = [f"undo {number}" for number in range(700)]
    CachedEncoder(inner).fill(texts, lambda done, total: told.append((done, total)))
    assert told == [(512, 700), (700, 700)]
    assert inner.encoded == texts


def test_the_rest_is_the_encoders() -> None:
    cached = CachedEncoder(ToyEncoder("toy-2"))
    assert (cached.fingerprint, cached.dimensions) == ("toy-2", 3)
    assert cached.knows("undo")
    assert not cached.knows("unheard")
