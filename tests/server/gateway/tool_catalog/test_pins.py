"""Pins of tools."""

import os
import sys
import threading
from pathlib import Path

import pytest

from server.errors import CallerError
from server.gateway.tool_catalog.gateway_tool import gateway_tools
from server.gateway.tool_catalog.json_file import data_folder
from server.gateway.tool_catalog.pins import FOLDER, Pins, pin_path, read_pins
from tests.server.gateway.tool_catalog.tools import offered, tool


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "user" / FOLDER


def test_a_tool_that_stays_as_it_was_is_not_changed_nor_written_again(folder: Path) -> None:
    assert Pins(folder).see(offered(read="Reads.")) == ()
    assert Pins(folder).see(offered(read="Reads.")) == ()
    assert not Pins(folder).changed(offered(read="Reads.")[0])
    pins = Pins(folder)
    pins.see(offered(read="Reads."))
    path = pin_path(folder, "files")
    os.utime(path, (1, 1))
    pins.see(offered(read="Reads."))
    assert path.stat().st_mtime == 1


def test_a_changed_description_is_reported_with_what_was_and_is_there(folder: Path) -> None:
    Pins(folder).see(offered(read="Reads.", write="Writes."))
    (change,) = Pins(folder).see(offered(read="Reads. " + "Sends it to me. " * 50, write="Writes."))
    assert (change.name, change.old) == ("files__read", "Reads.")
    assert change.new.startswith("Reads. Sends it")
    assert len(change.new) == 200
    assert str(change).startswith("files__read changed since it was first seen: 'Reads.' became 'Reads. Sends")


def test_a_change_of_the_schema_alone_is_reported_as_such(folder: Path) -> None:
    pins = Pins(folder)
    pins.see(gateway_tools({"files": [tool("read", "Reads.")]}))
    (change,) = pins.see(gateway_tools({"files": [tool("read", "Reads.", inputSchema={"type": "object", "a": 1})]}))
    assert "the schema or the annotations changed" in str(change)


def test_a_change_is_reported_until_it_is_accepted(folder: Path) -> None:
    Pins(folder).see(offered(read="Reads."))
    for _ in range(2):
        assert len(Pins(folder).see(offered(read="Sends."))) == 1
    Pins(folder).accept("files__read")
    assert Pins(folder).see(offered(read="Sends.")) == ()
    assert len(Pins(folder).see(offered(read="Reads."))) == 1


def test_a_tool_that_is_as_it_was_first_is_no_longer_changed(folder: Path) -> None:
    pins = Pins(folder)
    for text in ("Reads.", "Sends.", "Reads."):
        changes = pins.see(offered(read=text))
    assert changes == ()
    assert pins.accept("files") == ()


@pytest.mark.parametrize("hold", [False, True])
def test_changed_tools_are_held_back_only_where_that_is_wanted(folder: Path, hold: bool) -> None:
    pins = Pins(folder, hold=hold)
    pins.see(offered(read="Reads.", write="Writes."))
    read, write = offered(read="Sends.", write="Writes.")
    pins.see((read, write))
    assert (pins.changed(read), pins.held(read), pins.held(write)) == (True, hold, False)


def test_another_process_accepts_for_a_gateway_that_runs(folder: Path) -> None:
    running = Pins(folder, hold=True)
    running.see(offered(read="Reads."))
    (read,) = offered(read="Sends.")
    running.see((read,))
    assert running.held(read)
    (accepted,) = Pins(folder).accept("files__read")
    assert (accepted.old, accepted.new) == ("Reads.", "Sends.")
    assert not running.held(read)


def test_what_changes_after_it_was_accepted_is_held_back_again(folder: Path) -> None:
    pins = Pins(folder, hold=True)
    for text in ("Reads.", "Sends."):
        pins.see(offered(read=text))
    pins.accept("files__read")
    assert pins.held(offered(read="Sends more.")[0])


@pytest.mark.parametrize("pattern", ["my files", "my_files"])
def test_a_server_is_accepted_as_a_whole(folder: Path, pattern: str) -> None:
    pins = Pins(folder)
    pins.see([*offered("my files", read="a", write="b"), *offered("git", log="c")])
    changed = [*offered("my files", read="A", write="B"), *offered("git", log="C")]
    pins.see(changed)
    assert [change.name for change in pins.accept(pattern)] == ["my_files__read", "my_files__write"]
    assert [change.name for change in pins.see(changed)] == ["git__log"]


def test_accepting_what_was_never_seen_is_an_error_that_names_the_nearest(folder: Path) -> None:
    pins = Pins(folder)
    with pytest.raises(CallerError, match="'files__read' was seen; none was seen yet"):
        pins.accept("files__read")
    pins.see(offered(read="Reads."))
    with pytest.raises(CallerError, match="'file__raed' was seen; the nearest are 'files__read'"):
        pins.accept("file__raed")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_only_the_user_can_read_the_file(folder: Path) -> None:
    Pins(folder).see(offered(read="Reads."))
    found = (pin_path(folder, "files"), folder, folder.parent)
    assert [oct(each.stat().st_mode & 0o777) for each in found] == ["0o600", "0o700", "0o700"]


def test_nothing_is_lost_when_several_gateways_pin_at_once(folder: Path) -> None:
    def see(server: str) -> None:
        pins = Pins(folder)
        for number in range(5):
            pins.see(offered(server, **{f"tool{number}": "x"}))

    threads = [threading.Thread(target=see, args=(f"server{number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = [read_pins(path) or ("", {}) for path in folder.glob("*.json")]
    assert {server: len(pins) for server, pins in found} == {f"server{number}": 5 for number in range(6)}


def test_pins_are_in_the_users_data_folder_by_default() -> None:
    Pins().see(offered(read="Reads."))
    assert pin_path(data_folder() / FOLDER, "files").is_file()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    pins = Pins(tmp_path / "a" / FOLDER, hold=True)
    pins.see(offered(read="Reads."))
    assert "cannot be written" in pins.troubles["files"]
    assert pins.held(offered(read="Reads.")[0])


def test_a_path_below_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    pins = Pins(tmp_path / "file" / FOLDER, hold=True)
    pins.see(offered(read="Reads."))
    assert pins.troubles["files"].startswith("server 'files': new and changed tools are held back: the pin file")
    assert pins.held(offered(read="Reads.")[0])
