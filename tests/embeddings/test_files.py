import os
from pathlib import Path
from typing import NoReturn

import pytest

from embeddings.files import write_atomically
from tests.special_files import posix


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def refuse(*_: object) -> NoReturn:
    raise OSError("no space left on device")


def test_a_file_is_written_and_replaced_without_leftovers(tmp_path: Path) -> None:
    for content in (b"a longer old content", b"new"):
        write_atomically(tmp_path / "file", content)
        assert (tmp_path / "file").read_bytes() == content
    assert names(tmp_path) == ["file"]


def test_missing_folders_are_made(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a" / "b" / "file", b"content")
    assert (tmp_path / "a" / "b" / "file").read_bytes() == b"content"


def test_a_failing_write_leaves_the_old_content_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"old")
    steps: list[tuple[object, str]] = [(os, "fsync"), (Path, "replace")]
    for owner, step in steps:
        with monkeypatch.context() as patch:
            patch.setattr(owner, step, refuse)
            with pytest.raises(OSError, match="no space"):
                write_atomically(tmp_path / "file", b"new")
        assert (tmp_path / "file").read_bytes() == b"old", step
        assert names(tmp_path) == ["file"], step


def test_an_interrupted_write_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: int) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "file", b"new")
    assert names(tmp_path) == []


def test_a_folder_in_the_way_is_an_error_and_stays(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(OSError, match="file"):
        write_atomically(tmp_path / "file", b"new")
    assert names(tmp_path) == ["file"]


@posix
def test_a_written_file_is_readable_by_everyone(tmp_path: Path) -> None:
    write_atomically(tmp_path / "file", b"content")
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o644


@posix
def test_a_file_has_its_mode_before_it_has_content_and_nothing_is_changed_by_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def look(descriptor: int) -> None:
        seen.append(os.fstat(descriptor).st_mode & 0o777)

    monkeypatch.setattr(Path, "chmod", refuse)
    monkeypatch.setattr(os, "chmod", refuse)
    monkeypatch.setattr(os, "fsync", look)
    write_atomically(tmp_path / "file", b"content")
    assert seen == [0o644]


@posix
def test_a_mode_that_cannot_be_set_leaves_the_old_content_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"old")
    monkeypatch.setattr(os, "fchmod", refuse)
    with pytest.raises(OSError, match="no space"):
        write_atomically(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"old"
    assert names(tmp_path) == ["file"]
