import ctypes

import pytest

from server.matching.matcher_provider import release_freed_memory


def test_memory_is_given_back_without_a_fuss() -> None:
    release_freed_memory()


def test_a_c_library_without_the_call_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for error in [OSError("no library"), TypeError("no handle"), AttributeError("malloc_trim")]:

        def absent(_: object, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr(ctypes, "CDLL", absent)
        release_freed_memory()
