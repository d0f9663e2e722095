import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embeddings.encoder.encoder import CACHED_QUERIES, Encoder
from embeddings.encoder.model_files import MANIFEST_FILE, official_model_folder
from embeddings.errors import PhraseError

MIXED = [f"text number {i} " * (1 + i * 7 % 12) for i in range(69)]
LIMIT = 256 - 2  # the model's two marks take part


def test_vectors_are_float32_of_unit_length(shipped_encoder: Encoder) -> None:
    vectors = shipped_encoder.encode(["plug in outside tools", "", "🙂", "x" * 100_000])
    assert vectors.dtype == np.float32
    assert vectors.shape == (4, shipped_encoder.dimensions) == (4, 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_vectors(shipped_encoder: Encoder) -> None:
    assert shipped_encoder.encode([]).shape == (0, 384)


def test_vectors_come_in_the_order_of_the_texts(shipped_encoder: Encoder) -> None:
    together = shipped_encoder.encode(MIXED)
    alone = np.concatenate([shipped_encoder.encode([text]) for text in MIXED])
    assert (together @ alone.T).argmax(axis=1).tolist() == list(range(len(MIXED)))


def test_texts_of_like_meaning_are_near(shipped_encoder: Encoder) -> None:
    undo, rewind, weather = shipped_encoder.encode(
        ["undo the agent's changes", "roll back what the assistant edited", "will it rain tomorrow"]
    )
    assert undo @ rewind > undo @ weather + 0.2


def test_a_text_is_cut_at_256_tokens(shipped_encoder: Encoder) -> None:
    full, longer, shorter = (shipped_encoder.encode(["undo " * count]) for count in (LIMIT, 20_000, LIMIT - 1))
    assert np.array_equal(full, longer)
    assert not np.array_equal(full, shorter)


def test_long_texts_are_cut_in_a_batch_too(shipped_encoder: Encoder) -> None:
    both = shipped_encoder.encode(["undo " * LIMIT, "undo " * LIMIT + "picture " * 50])
    np.testing.assert_allclose(both[0], both[1], atol=1e-6)


def test_the_manifest_sets_the_limit(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(official_model_folder(), tmp_path / "model"))
    manifest = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8")) | {"maxTokens": 6}
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest), encoding="utf-8")
    full, longer, shorter = (Encoder.load(folder).encode(["undo " * count]) for count in (4, 5, 3))
    assert np.array_equal(full, longer)
    assert not np.array_equal(full, shorter)


def test_a_text_that_says_little_has_a_finite_unit_vector(shipped_encoder: Encoder) -> None:
    for text in ["", " ", "\x00", "\u200b", "日本語"]:
        assert np.linalg.norm(shipped_encoder.encode([text])) == pytest.approx(1, abs=1e-5), text


def test_a_lone_surrogate_is_read_as_a_question_mark(shipped_encoder: Encoder) -> None:
    assert np.array_equal(shipped_encoder.encode(["undo\ud800"]), shipped_encoder.encode(["undo?"]))
    batch = shipped_encoder.encode(["undo\udfff", "undo?"])
    assert batch[0] == pytest.approx(batch[1], abs=1e-6)


def test_a_single_string_is_refused(shipped_encoder: Encoder) -> None:
    with pytest.raises(PhraseError, match=r"got the string 'undo'.*wrap it in a list"):
        shipped_encoder.encode("undo")


def test_anything_but_text_is_refused_with_its_type(shipped_encoder: Encoder) -> None:
    cases: list[Any] = [None, 5, b"undo", ["undo"]]
    for text in cases:
        for texts in ([text], ["undo", text]):
            with pytest.raises(PhraseError, match=f"of type {type(text).__name__}"):
                shipped_encoder.encode(texts)


def test_a_vector_belongs_to_the_caller(shipped_encoder: Encoder) -> None:
    first = shipped_encoder.encode(["a vector to scribble on"])
    first[:] = 0
    assert np.linalg.norm(shipped_encoder.encode(["a vector to scribble on"])) == pytest.approx(1, abs=1e-5)


def test_a_query_is_not_taken_for_a_longer_one(shipped_encoder: Encoder) -> None:
    texts = ["undo all of the changes", "undo all", "undo all of"]
    alone = np.concatenate([shipped_encoder.encode([text]) for text in texts])
    np.testing.assert_allclose(alone, shipped_encoder.encode(texts), atol=1e-3)


def test_a_query_that_fell_out_of_the_cache_has_the_same_vector(shipped_encoder: Encoder) -> None:
    before = shipped_encoder.encode(["undo"])
    for i in range(CACHED_QUERIES + 1):
        shipped_encoder.encode([f"{i}"])
    assert np.array_equal(shipped_encoder.encode(["undo"]), before)


def test_threads_share_an_encoder(shipped_encoder: Encoder) -> None:
    texts = [f"a question of thread {i}" for i in range(40)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda text: shipped_encoder.encode([text])[0], texts * 3))
    np.testing.assert_allclose(answers, np.tile(shipped_encoder.encode(texts), (3, 1)), atol=1e-3)


def test_a_word_that_is_one_token_is_known(shipped_encoder: Encoder) -> None:
    for word, known in [("undo", True), ("rewind", False), ("qzxv", False), ("", False)]:
        assert shipped_encoder.knows(word) is known, word


def test_batch_mates_do_not_move_a_vector(shipped_encoder: Encoder) -> None:
    together = shipped_encoder.encode(MIXED)
    alone = np.concatenate([shipped_encoder.encode([text]) for text in MIXED])
    np.testing.assert_array_equal(together, alone)


def test_more_threads_give_the_same_vectors(shipped_encoder: Encoder) -> None:
    for threads, split in [(2, 1), (1, 2), (3, 2)]:
        shared = Encoder.load(official_model_folder(), threads=threads, split=split)
        np.testing.assert_allclose(shared.encode(MIXED), shipped_encoder.encode(MIXED), atol=1e-6)
