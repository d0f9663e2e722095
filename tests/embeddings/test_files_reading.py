import hashlib
import os
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from embeddings.files import read_bytes, read_text, sha256_of
from tests.special_files import SPECIAL, in_time, posix, put_in_place


def test_the_digest_is_that_of_the_whole_content(tmp_path: Path) -> None:
    for content in [b"", b"abc", bytes(range(256)) * 1000]:
        (tmp_path / "file").write_bytes(content)
        assert sha256_of(tmp_path / "file") == hashlib.sha256(content).hexdigest(), content


def test_a_regular_file_is_read_whole(tmp_path: Path) -> None:
    for content in [b"", b"abc", bytes(range(256)) * 1000]:
        (tmp_path / "file").write_bytes(content)
        assert read_bytes(tmp_path / "file", len(content)) == content, content


def test_a_file_with_one_byte_too_many_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abcd")
    with pytest.raises(OSError, match=r"over 3 bytes.*file"):
        read_bytes(tmp_path / "file", 3)


@pytest.mark.parametrize(("most", "read"), [(7, b"content"), (6, None)])
def test_a_file_that_grows_while_it_is_read_is_read_up_to_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, read: bytes | None
) -> None:
    (tmp_path / "file").write_bytes(b"content")
    fstat = os.fstat

    def earlier(descriptor: int) -> os.stat_result:
        found = list(fstat(descriptor))
        found[stat.ST_SIZE] = 2
        return os.stat_result(found)

    monkeypatch.setattr(os, "fstat", earlier)
    if read is None:
        with pytest.raises(OSError, match="over 6 bytes"):
            read_bytes(tmp_path / "file", most)
    else:
        assert read_bytes(tmp_path / "file", most) == read


def test_text_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xff")
    with pytest.raises(UnicodeDecodeError):
        read_text(tmp_path / "file")


@posix
def test_anything_but_a_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    cases: list[Callable[[Path], object]] = [sha256_of, read_text]
    for kind in SPECIAL:
        for number, read in enumerate(cases):
            file = tmp_path / f"{kind} {number}" / "file"
            file.parent.mkdir()
            put_in_place(file, kind)
            with pytest.raises(OSError, match=str(file)):
                in_time(partial(read, file))


OPEN = Path("/proc/self/fd")


@pytest.mark.skipif(not OPEN.is_dir(), reason="where a process's open files are listed")
def test_a_refused_file_is_closed(tmp_path: Path) -> None:
    put_in_place(tmp_path / "file", "FIFO")
    before = len(list(OPEN.iterdir()))
    for _ in range(20):
        with pytest.raises(OSError, match="not a regular file"):
            sha256_of(tmp_path / "file")
    assert len(list(OPEN.iterdir())) <= before
