import os
import sys
import time
from pathlib import Path

import pytest

from server.files import file_stamp


def settled(path: Path) -> None:
    """Wait until the file system's clock has moved on since the file was written; it ticks every few milliseconds."""
    other = path.with_name("clock")
    while True:
        other.write_bytes(b"")
        if other.stat().st_ctime_ns > path.stat().st_ctime_ns:
            return
        time.sleep(0.001)


def test_a_file_that_is_not_there_has_no_stamp(tmp_path: Path) -> None:
    assert file_stamp(tmp_path / "none") is None


def test_a_file_that_is_only_read_keeps_its_stamp(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    before = file_stamp(tmp_path / "file")
    (tmp_path / "file").read_bytes()
    assert file_stamp(tmp_path / "file") == before


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell when a file was last changed in any way")
def test_a_change_within_size_and_time_of_writing_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")
    before, stamp = path.stat(), file_stamp(path)
    settled(path)
    path.write_bytes(b"after!")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    assert (after.st_size, after.st_mtime_ns, after.st_ino) == (before.st_size, before.st_mtime_ns, before.st_ino)
    assert file_stamp(path) != stamp
