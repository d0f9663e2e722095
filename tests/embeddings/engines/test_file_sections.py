"""Arrays in a file, read whole and in parts."""

import os
import threading
from pathlib import Path

import numpy as np
import pytest

from embeddings.engines import file_sections
from embeddings.engines.file_sections import Section, SectionFile
from embeddings.files import write_atomically

NUMBERS = np.arange(600, dtype=np.float32).reshape(100, 6)


@pytest.fixture
def file(tmp_path: Path) -> SectionFile:
    path = tmp_path / "arrays"
    parts = Section("|u1", (5,), [b"ab", b"", np.frombuffer(b"cde", np.uint8)])
    write_atomically(path, file_sections.written({"numbers": NUMBERS, "none": NUMBERS[:0], "bytes": parts}))
    return SectionFile(path)


def test_an_array_is_read_as_it_was_written_with_and_without_pread(
    file: SectionFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    for piece in (file_sections._PIECE, 7):
        monkeypatch.setattr(file_sections, "_PIECE", piece)
        for _ in range(2):
            assert file.array("numbers").tolist() == NUMBERS.tolist(), piece
            assert file.array("none").shape == (0, 6), piece
            assert file.array("bytes").tobytes() == b"abcde", piece
            monkeypatch.delattr(os, "pread", raising=False)


def test_rows_are_read_as_they_were_written_with_and_without_pread(
    file: SectionFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    for pread in (True, False):
        assert file.rows("numbers", np.array([0, 3, 99])).tolist() == NUMBERS[[0, 3, 99]].tolist(), f"pread: {pread}"
        part = np.frombuffer(file.part("numbers", 98, 100), np.float32)
        assert part.tolist() == NUMBERS[98:].reshape(-1).tolist(), f"pread: {pread}"
        monkeypatch.delattr(os, "pread", raising=False)


def test_rows_outside_an_array_are_refused(file: SectionFile) -> None:
    for start, end in [(-1, 2), (99, 101), (3, 2)]:
        with pytest.raises(ValueError, match="rows lie within their array"):
            file.part("numbers", start, end)


def test_threads_do_not_disturb_each_other_with_or_without_pread(
    file: SectionFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong: list[object] = []

    def read(row: int) -> None:
        found = [file.rows("numbers", np.array([row])).tolist() for _ in range(200)]
        wrong.extend(each for each in found if each != [NUMBERS[row].tolist()])

    for pread in (True, False):
        threads = [threading.Thread(target=read, args=(row,)) for row in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == [], f"pread: {pread}"
        monkeypatch.delattr(os, "pread", raising=False)


def test_a_file_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "arrays"
    write_atomically(path, file_sections.written({"numbers": NUMBERS}))
    os.truncate(path, path.stat().st_size - 1)
    with pytest.raises(ValueError, match="the file is complete"):
        SectionFile(path)


def test_a_file_that_is_cut_off_while_it_is_open_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "arrays"
    write_atomically(path, file_sections.written({"numbers": NUMBERS}))
    file = SectionFile(path)
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(ValueError, match="in the middle of an array"):
        file.rows("numbers", np.array([99]))
