from pathlib import Path
from typing import NoReturn

import pytest

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from server.matching.matcher_provider import MatcherProvider
from server.matching.vector_cache import CACHE_VARIABLE, cache_folder
from tests.toy import BOOK, ToyEncoder

OTHER_BOOK = PhraseBook((Label("Checkpoints", ("rewind",)), Label("Vision")))


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    path = tmp_path / "capability-vectors.npz"
    Matcher.build(BOOK, ToyEncoder()).save(path)
    return path


def provider(vectors: Path | None, encoder: ToyEncoder) -> MatcherProvider:
    return MatcherProvider(BOOK, [vectors] if vectors else [], lambda threads: encoder)


def test_ready_vectors_are_used_without_embedding_more_than_a_trial(
    vectors: Path, encoder: ToyEncoder, caplog: pytest.LogCaptureFixture
) -> None:
    matcher = provider(vectors, encoder).load()
    assert not matcher.is_degraded
    assert encoder.encoded == ["Checkpoints"]
    assert caplog.messages == []


def test_stale_vectors_are_told_and_built_anew(
    vectors: Path, encoder: ToyEncoder, caplog: pytest.LogCaptureFixture
) -> None:
    Matcher.build(OTHER_BOOK, encoder).save(vectors)
    assert provider(vectors, encoder).load().names == ["Checkpoints", "MCP Support", "Vision"]
    assert f"vectors not used: vector file {str(vectors)!r} has catalog text" in caplog.text


def test_vectors_of_another_model_are_told_and_built_anew(vectors: Path, caplog: pytest.LogCaptureFixture) -> None:
    encoder = ToyEncoder("toy-2")
    assert not provider(vectors, encoder).load().is_degraded
    assert "plug in outside tools" in encoder.encoded
    assert f"vectors not used: vector file {str(vectors)!r} has model 'toy-1', not 'toy-2'" in caplog.text


@pytest.mark.parametrize("content", [b"", b"junk", b"\x93NUMPY"])
def test_a_damaged_file_is_told_and_built_anew(
    vectors: Path, encoder: ToyEncoder, caplog: pytest.LogCaptureFixture, content: bytes
) -> None:
    vectors.write_bytes(content)
    assert not provider(vectors, encoder).load().is_degraded
    assert f"vectors not used: vector file {str(vectors)!r}" in caplog.text


def test_a_file_that_is_not_used_is_left_alone(vectors: Path, encoder: ToyEncoder) -> None:
    vectors.write_bytes(b"junk")
    provider(vectors, encoder).load()
    assert vectors.read_bytes() == b"junk"


def test_built_vectors_are_cached_and_used_next_time(encoder: ToyEncoder) -> None:
    provider(None, ToyEncoder()).load()
    assert len(list(cache_folder().glob("*.npz"))) == 1
    assert not provider(None, encoder).load().is_degraded
    assert encoder.encoded == ["Checkpoints"]


def test_each_model_has_vectors_of_its_own_in_the_cache() -> None:
    provider(None, ToyEncoder()).load()
    provider(None, ToyEncoder("toy-2")).load()
    assert len(list(cache_folder().glob("*.npz"))) == 2


def test_a_damaged_cached_file_is_told_and_replaced(encoder: ToyEncoder, caplog: pytest.LogCaptureFixture) -> None:
    provider(None, encoder).load()
    (cached,) = cache_folder().glob("*.npz")
    whole = cached.read_bytes()
    cached.write_bytes(b"junk")
    provider(None, encoder).load()
    assert str(cached) in caplog.text
    assert cached.read_bytes() == whole


def test_a_cache_that_cannot_be_written_is_told_and_done_without(
    tmp_path: Path, encoder: ToyEncoder, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
    assert not provider(None, encoder).load().is_degraded
    assert f"vectors could not be cached at {tmp_path / 'file'}" in caplog.text


def test_an_interrupt_that_a_native_module_turned_into_an_error_stays_an_interrupt() -> None:
    def interrupted(threads: int) -> NoReturn:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise ImportError("initialization failed") from error

    with pytest.raises(KeyboardInterrupt):
        MatcherProvider(BOOK, [], interrupted).load()
