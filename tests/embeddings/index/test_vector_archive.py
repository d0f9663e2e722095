"""Archives made to fill the memory, or to be waited for."""

import io
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from embeddings.index import vector_archive
from embeddings.index.vector_archive import MAX_BYTES
from embeddings.matcher import Matcher
from tests.embeddings.index.vector_damage import assert_refused

MEGABYTE = 1 << 20
BOMB = bytes(32 * MEGABYTE)


@pytest.fixture
def path(tmp_path: Path, matcher: Matcher) -> Path:
    matcher.save(tmp_path / "vectors.npz")
    return tmp_path / "vectors.npz"


def repack(path: Path, name: str, content: bytes, method: int = zipfile.ZIP_DEFLATED) -> None:
    """Exchange one entry, or add it."""
    with zipfile.ZipFile(path) as archive:
        entries = {entry: archive.read(entry) for entry in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, held in (entries | {name: content}).items():
            archive.writestr(entry, held, compress_type=method if entry == name else zipfile.ZIP_DEFLATED)


def declare(path: Path, name: str, size: int) -> None:
    """State another unpacked size of an entry, in the table of contents."""
    content = bytearray(path.read_bytes())
    place = content.rindex(name.encode()) - 46
    struct.pack_into("<L", content, place + 24, size)
    path.write_bytes(content)


def peak(work: Callable[[], object]) -> int:
    """Bytes that were in use at most."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_an_archive_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(path: Path) -> None:
    repack(path, "coefficients.npy", BOMB)
    declare(path, "coefficients.npy", MAX_BYTES)
    assert peak(lambda: assert_refused(path, f"more than {MAX_BYTES:,}")) < 16 * MEGABYTE


def test_an_entry_that_unpacks_to_more_than_it_declares_is_unpacked_no_further(path: Path) -> None:
    repack(path, "coefficients.npy", BOMB)
    declare(path, "coefficients.npy", 1000)
    assert peak(lambda: assert_refused(path, "cannot be read (")) < 16 * MEGABYTE


def test_a_method_that_unpacks_all_at_once_is_refused(path: Path) -> None:
    intact = path.read_bytes()
    for method in [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]:
        path.write_bytes(intact)
        repack(path, "coefficients.npy", BOMB, method)
        declare(path, "coefficients.npy", 1000)
        assert peak(partial(assert_refused, path, f"compressed with method {method}")) < 16 * MEGABYTE, method


def test_an_entry_that_is_not_needed_is_not_unpacked(path: Path) -> None:
    repack(path, "more.npy", BOMB)
    assert peak(lambda: vector_archive.unpack(path.read_bytes())) < 16 * MEGABYTE


def test_a_table_of_contents_without_end_is_refused_before_it_is_read(path: Path) -> None:
    with zipfile.ZipFile(path, "a") as archive:
        for number in range(5000):
            archive.writestr(f"{number}", b"")
    assert_refused(path, "its table of contents has")


def test_a_table_of_contents_beyond_four_gigabytes_is_refused(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:-22] + b"PK\x06\x07" + bytes(16) + content[-22:])
    assert_refused(path, "does not end like")


def test_an_archive_with_a_comment_is_refused(path: Path) -> None:
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"anything"
    assert_refused(path, "does not end like")


def test_an_array_of_more_numbers_than_it_holds_is_refused(path: Path) -> None:
    cases: list[tuple[int, int]] = [(1 << 40, 1 << 20), (-1, 4), (1 << 70, 1)]
    intact = path.read_bytes()
    for shape in cases:
        path.write_bytes(intact)
        stream = io.BytesIO()
        np.lib.format.write_array_header_1_0(stream, {"shape": shape, "fortran_order": False, "descr": "<f4"})
        repack(path, "coefficients.npy", stream.getvalue() + bytes(24))
        assert_refused(path, "cannot be read (")


def test_a_file_over_the_limit_is_refused_before_it_is_read(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(MAX_BYTES + 1)
    assert peak(lambda: assert_refused(path, f"over {MAX_BYTES:,} bytes")) < 16 * MEGABYTE
