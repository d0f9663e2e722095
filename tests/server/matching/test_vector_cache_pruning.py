import os
import sys
import time
from pathlib import Path

import pytest

from server.matching.vector_cache import ABANDONED_SECONDS, prune

MANY = 10_000
"""Bytes or files; more than there are here."""


def name(number: int) -> str:
    return f"{number:032x}-toy-1.npz"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Five cached files of 100 bytes; the one with the larger number was used later."""
    for number in range(5):
        used(tmp_path / name(number), number)
    return tmp_path


def used(path: Path, seconds: float) -> None:
    """A file of 100 bytes that was used so many seconds after the start of time."""
    path.write_bytes(bytes(100))
    os.utime(path, (seconds, 0))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_cache_within_its_limits_keeps_everything(folder: Path) -> None:
    prune(folder / name(4), 500, 5)
    assert names(folder) == [name(number) for number in range(5)]


def test_files_used_least_recently_go_until_the_sum_is_within_its_limit(folder: Path) -> None:
    prune(folder / name(4), 299, MANY)
    assert names(folder) == [name(3), name(4)]


def test_files_used_least_recently_go_until_their_number_is_within_its_limit(folder: Path) -> None:
    prune(folder / name(4), MANY, 3)
    assert names(folder) == [name(2), name(3), name(4)]


def test_the_file_just_written_stays_even_if_it_alone_is_too_large(folder: Path) -> None:
    prune(folder / name(0), 1, MANY)
    assert names(folder) == [name(0)]


def test_files_of_others_are_neither_counted_nor_removed(folder: Path) -> None:
    for number in range(5):
        (folder / name(number)).unlink()
    others = ["mine.npz", f"{name(1)}.old", f"x{name(1)}", name(1).upper(), ".hidden", f".{name(1)}", "notes.txt"]
    for other in others:
        used(folder / other, 1)
    (folder / name(7)).mkdir()
    used(folder / name(8), 8)
    prune(folder / name(8), 100, MANY)
    assert names(folder) == sorted([*others, name(7), name(8)])


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_a_link_is_not_followed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "precious"
    used(elsewhere, 0)
    (folder / name(9)).symlink_to(elsewhere)
    prune(folder / name(4), 1, MANY)
    assert elsewhere.exists()
    assert names(folder) == [name(4), name(9)]


def test_a_file_that_a_killed_writer_left_goes(folder: Path) -> None:
    abandoned, young = folder / f".{name(1)}.x_y2z3ab", folder / f".{name(2)}.x_y2z3ab"
    used(abandoned, 0)
    used(young, 0)
    os.utime(young, (time.time(), time.time() - ABANDONED_SECONDS / 2))
    prune(folder / name(4), MANY, MANY)
    assert (abandoned.exists(), young.exists()) == (False, True)


def test_a_file_that_cannot_be_removed_stays_and_the_next_one_goes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unlink = Path.unlink

    def held(path: Path, missing_ok: bool = False) -> None:
        if path.name == name(0):
            raise PermissionError("in use")
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", held)
    prune(folder / name(4), 300, MANY)
    assert names(folder) == [name(0), name(3), name(4)]


def test_a_folder_that_cannot_be_looked_through_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    prune(tmp_path / "none" / name(1), MANY, MANY)
    assert f"the cache at {tmp_path / 'none'} could not be read" in caplog.text
