"""SQLite files, written and read."""

import os
from contextlib import suppress
from pathlib import Path

import pytest

from embeddings.engines.file_sqlite import reading, transaction

SCHEMA = "CREATE TABLE IF NOT EXISTS numbers (number INTEGER)"


def add(path: Path, number: int) -> None:
    with transaction(path, SCHEMA) as database:
        database.execute("INSERT INTO numbers VALUES (?)", (number,))


def numbers(path: Path) -> list[int] | None:
    with reading(path) as database:
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
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="unable to open"):
        add(tmp_path / "folder", 1)
