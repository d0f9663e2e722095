"""SQLite files, written and read."""

import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from threading import Event

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from embeddings.engines.file_sqlite import check_seal, reading, seal, transaction

SCHEMA = "CREATE TABLE IF NOT EXISTS numbers (number INTEGER)"


def add(path: Path, number: int) -> None:
    with transaction(path, SCHEMA) as database:
        database.execute("INSERT INTO numbers VALUES (?)", (number,))


def numbers(path: Path) -> list[int] | None:
    with reading(path, SCHEMA) as database:
        return None if database is None else [number for (number,) in database.execute("SELECT number FROM numbers")]


def test_what_was_committed_is_read(tmp_path: Path) -> None:
    add(tmp_path / "folder" / "file", 1)
    add(tmp_path / "folder" / "file", 2)
    assert numbers(tmp_path / "folder" / "file") == [1, 2]


def test_a_transaction_that_fails_changes_nothing(tmp_path: Path) -> None:
    add(tmp_path / "file", 1)
    with suppress(KeyError), transaction(tmp_path / "file", SCHEMA) as database:
        database.execute("INSERT INTO numbers VALUES (2)")
        raise KeyError
    assert numbers(tmp_path / "file") == [1]


def test_a_reader_sees_what_was_there_before_a_transaction_ends(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with transaction(path, SCHEMA):
        assert numbers(path) is None
    with transaction(path, SCHEMA) as database:
        database.execute("INSERT INTO numbers VALUES (1)")
        assert numbers(path) == []
    assert numbers(path) == [1]


def test_a_file_that_is_not_there_is_not_made_by_reading_it(tmp_path: Path) -> None:
    assert numbers(tmp_path / "file") is None
    assert [*tmp_path.iterdir()] == []


def test_a_damaged_file_is_a_value_error_and_one_that_cannot_be_opened_an_os_error(tmp_path: Path) -> None:
    path = tmp_path / "file"
    add(path, 1)
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(ValueError, match="malformed"):
        numbers(path)
    path.write_bytes(b"agent-capabilities labels 2\n")
    for use in (numbers, lambda path: add(path, 1)):
        with pytest.raises(ValueError, match="not a database"):
            use(path)


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    for beside in ["", "-journal", "-wal", "-shm"]:
        path = tmp_path / "file"
        add(path, 1)
        kinds: list[Callable[[Path], object]] = [Path.mkdir, lambda each: each.symlink_to(os.devnull)]
        kinds += [os.mkfifo] if hasattr(os, "mkfifo") else []
        for make in kinds:
            opened = path.with_name(f"file{beside}")
            opened.unlink(missing_ok=True)
            make(opened)
            for use in (numbers, lambda path: add(path, 1)):
                with pytest.raises(OSError, match="not a regular file"):
                    use(path)
            opened.rmdir() if opened.is_dir() else opened.unlink()


def test_a_journal_that_is_removed_meanwhile_does_not_hinder_reading(tmp_path: Path) -> None:
    path, done = tmp_path / "file", Event()
    journal = path.with_name("file-journal")
    add(path, 1)

    def come_and_go() -> None:
        while not done.is_set():
            journal.touch()
            journal.unlink(missing_ok=True)

    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(come_and_go)
        try:
            assert all(numbers(path) == [1] for _ in range(1500))
        finally:
            done.set()
        coming.result()


def test_what_is_planted_beside_the_tables_is_refused(tmp_path: Path) -> None:
    for planted in [
        "CREATE TRIGGER planted AFTER INSERT ON numbers BEGIN DELETE FROM numbers; END",
        "CREATE VIEW planted AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "CREATE TABLE more (number INTEGER)",
        "CREATE INDEX more ON numbers (number)",
    ]:
        path = tmp_path / planted.split()[1]
        add(path, 1)
        with closing(sqlite3.connect(path)) as database:
            database.execute(planted)
            database.commit()
        for use in (numbers, lambda path: add(path, 1)):
            with pytest.raises(ValueError, match="and no others"):
                use(path)


@given(st.integers(0, 10_000), st.integers(1, 255))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_changed_byte_breaks_the_seal(tmp_path: Path, place: int, change: int) -> None:
    path = tmp_path / "sealed"
    path.unlink(missing_ok=True)
    add(path, 1)
    seal(path)
    check_seal(path)
    content = bytearray(path.read_bytes())
    content[place % len(content)] ^= change
    path.write_bytes(content)
    with pytest.raises(ValueError, match="the checksum is right"):
        check_seal(path)
