import sys
from pathlib import Path

import pytest

from server.matching import vector_cache as place
from server.matching.vector_cache import CACHE_VARIABLE, cache_folder


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
