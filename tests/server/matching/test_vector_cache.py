import os
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from server.matching import vector_cache
from server.matching import vector_cache as cache_folder_module
from server.matching.matcher_provider import MatcherProvider
from server.matching.vector_cache import CACHE_VARIABLE, cache_folder
from tests.toy import BOOK, ToyEncoder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def book(number: int) -> PhraseBook:
    return PhraseBook((Label(f"label {number}"),))


def load(number: int) -> Matcher:
    encoder = ToyEncoder()
    return MatcherProvider(book(number), [], lambda threads: encoder).load()


def cached(number: int) -> Path:
    (path,) = cache_folder().glob(f"{book(number).fingerprint[:32]}-*.npz")
    return path


def test_what_a_build_leaves_in_the_cache_is_pruned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_cache, "MAX_FILES", 2)
    for number in range(4):
        load(number)
        os.utime(cached(number), (number, number))
    assert names(cache_folder()) == sorted([cached(2).name, cached(3).name])


def test_a_file_that_is_used_outlives_one_that_was_written_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_cache, "MAX_FILES", 2)
    for number in range(2):
        load(number)
        os.utime(cached(number), (number, number))
    load(0)
    load(2)
    assert names(cache_folder()) == sorted([cached(0).name, cached(2).name])


def test_using_a_file_does_not_change_when_it_was_written() -> None:
    load(0)
    os.utime(cached(0), (1, 1))
    load(0)
    assert cached(0).stat().st_mtime == 1
    assert cached(0).stat().st_atime > time.time() - 600


def test_a_use_that_cannot_be_noted_is_a_use_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    load(0)

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise PermissionError("read-only")

    monkeypatch.setattr(os, "utime", refuse)
    assert not vector_cache.find(book(0), ToyEncoder()).is_degraded


def test_the_names_of_the_cache_are_those_that_are_pruned() -> None:
    load(0)
    assert re.fullmatch(r"[0-9a-f]{32}-toy-1\.fitted-\d+\.npz", cached(0).name)


def without_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CACHE_VARIABLE)
    monkeypatch.setattr(cache_folder_module, "user_cache_dir", lambda *_, **__: "~/.cache/agent-capabilities")


def test_without_a_place_for_a_cache_vectors_are_built_and_used(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    without_home(monkeypatch)
    assert not load(0).is_degraded
    (message,) = caplog.messages
    assert "no home folder" in message
    assert CACHE_VARIABLE in message


def test_without_a_place_for_a_cache_ready_vectors_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    without_home(monkeypatch)
    Matcher.build(BOOK, ToyEncoder()).save(tmp_path / "vectors.npz")
    assert not MatcherProvider(BOOK, [tmp_path / "vectors.npz"], lambda threads: ToyEncoder()).load().is_degraded
    assert caplog.messages == []


class Failing(ToyEncoder):
    """Embeds catalogs but no queries."""

    def encode(self, texts: Sequence[str]) -> Any:
        if len(texts) == 1:
            raise RuntimeError("out of luck")
        return super().encode(texts)


def test_a_built_matcher_that_can_answer_nothing_is_not_used() -> None:
    encoder = Failing()
    assert MatcherProvider(BOOK, [], lambda threads: encoder).load().is_degraded
