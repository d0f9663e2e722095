"""Arrays in a file, read whole and in parts."""

import os
import threading
from pathlib import Path

import numpy as np
import pytest

from embeddings.files import write_atomically
from embeddings.index.stores.file import sections
from embeddings.index.stores.file.sections import Section, SectionFile

NUMBERS = np.arange(600, dtype=np.float32).reshape(100, 6)


@pytest.fixture(params=["pread", "seek"])
def file(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SectionFile:
    if request.param == "seek":
        monkeypatch.delattr(os, "pread", raising=False)
    path = tmp_path / "arrays"
    parts = Section("|u1", (5,), [b"ab", b"", np.frombuffer(b"cde", np.uint8)])
    write_atomically(path, sections.written({"numbers": NUMBERS, "none": NUMBERS[:0], "bytes": parts}))
    return SectionFile(path)


def test_an_array_is_read_as_it_was_written(file: SectionFile) -> None:
    assert file.array("numbers").tolist() == NUMBERS.tolist()
    assert file.array("none").shape == (0, 6)
    assert file.array("bytes").tobytes() == b"abcde"


def test_an_array_is_read_in_pieces_that_systems_can_read(file: SectionFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "_PIECE", 7)
    assert file.array("numbers").tolist() == NUMBERS.tolist()


def test_rows_are_read_as_they_were_written(file: SectionFile) -> None:
    assert file.rows("numbers", np.array([0, 3, 99])).tolist() == NUMBERS[[0, 3, 99]].tolist()
    assert np.frombuffer(file.part("numbers", 98, 100), np.float32).tolist() == NUMBERS[98:].reshape(-1).tolist()


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (99, 101), (3, 2)])
def test_rows_outside_an_array_are_refused(file: SectionFile, start: int, end: int) -> None:
    with pytest.raises(ValueError, match="rows lie within their array"):
        file.part("numbers", start, end)


def test_threads_do_not_disturb_each_other(file: SectionFile) -> None:
    wrong: list[object] = []

    def read(row: int) -> None:
        found = [file.rows("numbers", np.array([row])).tolist() for _ in range(200)]
        wrong.extend(each for each in found if each != [NUMBERS[row].tolist()])

    threads = [threading.Thread(target=read, args=(row,)) for row in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_file_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "arrays"
    write_atomically(path, sections.written({"numbers": NUMBERS}))
    os.truncate(path, path.stat().st_size - 1)
    with pytest.raises(ValueError, match="the file is complete"):
        SectionFile(path)


def test_a_file_that_is_cut_off_while_it_is_open_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "arrays"
    write_atomically(path, sections.written({"numbers": NUMBERS}))
    file = SectionFile(path)
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(ValueError, match="in the middle of an array"):
        file.rows("numbers", np.array([99]))
