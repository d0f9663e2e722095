import hashlib
import os
from pathlib import Path
from typing import NoReturn

import pytest

from embeddings.files import sha256_of, write_atomically


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def refuse(*_: object) -> NoReturn:
    raise OSError("no space left on device")


@pytest.mark.parametrize("content", [b"", b"abc", bytes(range(256)) * 1000])
def test_the_digest_is_that_of_the_whole_content(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    assert sha256_of(tmp_path / "file") == hashlib.sha256(content).hexdigest()


def test_a_file_is_written_and_replaced_without_leftovers(tmp_path: Path) -> None:
    for content in (b"a longer old content", b"new"):
        write_atomically(tmp_path / "file", content)
        assert (tmp_path / "file").read_bytes() == content
    assert names(tmp_path) == ["file"]


def test_missing_folders_are_made(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a" / "b" / "file", b"content")
    assert (tmp_path / "a" / "b" / "file").read_bytes() == b"content"


@pytest.mark.parametrize(("owner", "step"), [(os, "fsync"), (Path, "chmod"), (Path, "replace")])
def test_a_failing_write_leaves_the_old_content_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, step: str
) -> None:
    (tmp_path / "file").write_bytes(b"old")
    monkeypatch.setattr(owner, step, refuse)
    with pytest.raises(OSError, match="no space"):
        write_atomically(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


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


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_a_written_file_is_readable_by_everyone(tmp_path: Path) -> None:
    write_atomically(tmp_path / "file", b"content")
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o644
