"""JSON files that several processes change."""

import threading
import time
from pathlib import Path

import pytest

from server.errors import CallerError
from server.gateway.tool_catalog import json_file
from server.gateway.tool_catalog.json_file import (
    USER_DATA_VARIABLE,
    data_folder,
    locked,
    read_object,
    read_or_put_aside,
    write_object,
)


def test_an_object_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_object(tmp_path / "a" / "b.json", {"ü": [1, "\u2028"]})
    assert read_object(tmp_path / "a" / "b.json") == {"ü": [1, "\u2028"]}
    write_object(tmp_path / "b.json", {"a": "x\ud800"})
    assert read_object(tmp_path / "b.json") == {"a": "x\ud800"}


def test_a_missing_file_is_empty_and_leaves_nothing_aside(tmp_path: Path) -> None:
    assert read_or_put_aside(tmp_path / "a.json") == {}
    assert list(tmp_path.iterdir()) == []


def test_one_at_a_time_changes_a_file(tmp_path: Path) -> None:
    path, inside, most = tmp_path / "a.json", [0], [0]

    def change() -> None:
        with locked(path):
            inside[0] += 1
            most[0] = max(most[0], inside[0])
            time.sleep(0.02)
            inside[0] -= 1

    threads = [threading.Thread(target=change) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]


def test_a_lock_that_is_never_given_back_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_file, "_WAIT", 0.05)
    with (
        locked(tmp_path / "a.json"),
        pytest.raises(CallerError, match="locked by another process"),
        locked(tmp_path / "a.json"),
    ):
        pass


def test_without_a_home_folder_the_variable_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(USER_DATA_VARIABLE)
    monkeypatch.setattr(json_file, "user_data_dir", lambda *_, **__: "nowhere/agent-capabilities")
    with pytest.raises(CallerError, match=USER_DATA_VARIABLE):
        data_folder()
