import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.training.store_progress import SUFFIX, KeptVectors
from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.tool_catalog.cached_lists import CachedLists
from server.matching import vector_cache as place
from server.matching.matcher_provider import MatcherProvider
from server.matching.vector_cache import CACHE_VARIABLE, cache_folder
from tests.toy import ToyEncoder


def test_the_cache_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    assert cache_folder() == tmp_path


@pytest.mark.skipif(sys.platform != "linux", reason="each platform has its own place, which platformdirs knows")
def test_the_cache_is_in_the_usual_place_of_the_platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CACHE_VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "agent-capabilities"


def test_without_a_home_folder_the_cache_has_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CACHE_VARIABLE)
    monkeypatch.setattr(place, "user_cache_dir", lambda *_, **__: "~/.cache/agent-capabilities")
    with pytest.raises(OSError, match="no home folder"):
        cache_folder()


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
@pytest.mark.usefixtures("open_umask")
def test_with_any_umask_the_cache_is_for_the_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "above" / "cache"
    monkeypatch.setenv(CACHE_VARIABLE, str(cache))
    KeptVectors(cache / "builds" / f"v{SUFFIX}", 3).add(["undo"], np.zeros((1, 3), np.float32))
    MatcherProvider(PhraseBook((Label("undo"),)), [], lambda _: ToyEncoder()).load()
    CachedLists().keep(UpstreamConfig("git", Path(".mcp.json"), "stdio", command="git"), ())
    found = [cache.parent, cache, *cache.rglob("*")]
    assert len(found) == 7
    assert {path.name for path in found if path.stat().st_mode & 0o077} == set()
