"""Vectors of single texts in the user's cache folder."""

from pathlib import Path

import numpy as np
import pytest

from embeddings.encoder.caching import half
from server.gateway.tool_catalog import tool_texts
from server.gateway.tool_catalog.tool_texts import TextCache
from server.matching import vector_cache
from server.matching import vector_cache as cache_folder_module
from server.matching.vector_cache import CACHE_VARIABLE, cache_folder
from tests.toy import ToyEncoder


def keep(*texts: str, model: str = "toy-1") -> TextCache:
    encoder = ToyEncoder(model)
    cache = TextCache(encoder)
    cache.add(zip(texts, half(encoder.encode(texts)), strict=True))
    cache.save()
    return cache


def known(*texts: str, model: str = "toy-1") -> list[bool]:
    cache = TextCache(ToyEncoder(model))
    return [cache.get(text) is not None for text in texts]


def files() -> list[Path]:
    return sorted(cache_folder().iterdir()) if cache_folder().is_dir() else []


def test_texts_and_vectors_are_known_to_the_next_process() -> None:
    keep("undo it", "connect")
    assert known("undo it", "connect", "other") == [True, True, False]
    keep("undo the picture")
    vector = TextCache(ToyEncoder()).get("undo the picture")
    assert vector is not None
    assert np.array_equal(vector, half(ToyEncoder().encode(["undo the picture"]))[0])


def test_vectors_of_another_model_are_not_used() -> None:
    keep("undo it", model="toy-2")
    assert known("undo it") == [False]


def test_nothing_new_writes_nothing() -> None:
    keep()
    assert files() == []


def test_many_files_are_merged_without_losing_a_text() -> None:
    texts = [f"undo {number}" for number in range(3 * tool_texts.MAX_FILES)]
    for text in texts:
        keep(text)
    assert all(known(*texts))
    assert len(files()) <= tool_texts.MAX_FILES


def test_a_merge_keeps_what_is_new_and_used_within_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_texts, "MAX_FILES", 2)
    monkeypatch.setattr(tool_texts, "MAX_TEXTS", 2)
    keep("undo 1", "undo 2", "undo 3")
    cache = TextCache(ToyEncoder())
    cache.get("undo 3")
    cache.add([("undo 4", half(ToyEncoder().encode(["undo 4"]))[0])])
    cache.save()
    assert known("undo 1", "undo 2", "undo 3", "undo 4") == [False, False, True, True]


def test_what_other_processes_wrote_meanwhile_stays() -> None:
    caches = [TextCache(ToyEncoder()) for _ in range(tool_texts.MAX_FILES + 2)]
    texts = [f"undo {number}" for number in range(len(caches))]
    for cache, text in zip(caches, texts, strict=True):
        cache.add([(text, half(ToyEncoder().encode([text]))[0])])
        cache.save()
    assert all(known(*texts))


def test_a_damaged_file_is_left_out() -> None:
    keep("undo it")
    files()[0].write_bytes(b"PK damaged")
    keep("connect")
    assert known("undo it", "connect") == [False, True]


def test_many_new_texts_are_written_before_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_texts, "SAVED_AT_ONCE", 2)
    cache = TextCache(ToyEncoder())
    cache.add(zip(["undo", "connect"], half(ToyEncoder().encode(["undo", "connect"])), strict=True))
    assert known("undo", "connect") == [True, True]


def test_the_files_count_towards_the_limits_of_the_vector_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    keep("undo it", model="toy-2")
    monkeypatch.setattr(vector_cache, "MAX_FILES", 1)
    keep("connect")
    assert [path.name.endswith("-toy-1.texts.npz") for path in files()] == [True]


def test_a_cache_that_cannot_be_written_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
    keep("undo it")
    assert "embedded again next time" in caplog.messages[0]


@pytest.fixture
def no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CACHE_VARIABLE)
    monkeypatch.setattr(cache_folder_module, "user_cache_dir", lambda *_, **__: "~/.cache/agent-capabilities")


def test_without_a_cache_folder_texts_are_known_while_the_process_runs(no_home: None) -> None:
    assert keep("undo it").get("undo it") is not None
