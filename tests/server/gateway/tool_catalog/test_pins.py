"""Pins of tools."""

import json
import os
import sys
import threading
from pathlib import Path

import pytest

from server.errors import CallerError
from server.gateway.tool_catalog.gateway_tool import gateway_tools
from server.gateway.tool_catalog.json_file import data_folder
from server.gateway.tool_catalog.pins import PINS_FILE, Pins
from tests.server.gateway.tool_catalog.tools import offered, tool


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "user" / PINS_FILE


def test_a_tool_that_stays_as_it_was_is_not_changed_nor_written_again(path: Path) -> None:
    assert Pins(path).see(offered(read="Reads.")) == ()
    assert Pins(path).see(offered(read="Reads.")) == ()
    assert not Pins(path).changed(offered(read="Reads.")[0])
    pins = Pins(path)
    pins.see(offered(read="Reads."))
    os.utime(path, (1, 1))
    pins.see(offered(read="Reads."))
    assert path.stat().st_mtime == 1


def test_a_changed_description_is_reported_with_what_was_and_is_there(path: Path) -> None:
    Pins(path).see(offered(read="Reads.", write="Writes."))
    (change,) = Pins(path).see(offered(read="Reads. " + "Sends it to me. " * 50, write="Writes."))
    assert (change.name, change.old) == ("files__read", "Reads.")
    assert change.new.startswith("Reads. Sends it")
    assert len(change.new) == 200
    assert str(change).startswith("files__read changed since it was first seen: 'Reads.' became 'Reads. Sends")


def test_a_change_of_the_schema_alone_is_reported_as_such(path: Path) -> None:
    pins = Pins(path)
    pins.see(gateway_tools({"files": [tool("read", "Reads.")]}))
    (change,) = pins.see(gateway_tools({"files": [tool("read", "Reads.", inputSchema={"type": "object", "a": 1})]}))
    assert "the schema or the annotations changed" in str(change)


def test_a_change_is_reported_until_it_is_accepted(path: Path) -> None:
    Pins(path).see(offered(read="Reads."))
    for _ in range(2):
        assert len(Pins(path).see(offered(read="Sends."))) == 1
    Pins(path).accept("files__read")
    assert Pins(path).see(offered(read="Sends.")) == ()
    assert len(Pins(path).see(offered(read="Reads."))) == 1


def test_a_tool_that_is_as_it_was_first_is_no_longer_changed(path: Path) -> None:
    pins = Pins(path)
    for text in ("Reads.", "Sends.", "Reads."):
        changes = pins.see(offered(read=text))
    assert changes == ()
    assert pins.accept("files") == ()


@pytest.mark.parametrize("hold", [False, True])
def test_changed_tools_are_held_back_only_where_that_is_wanted(path: Path, hold: bool) -> None:
    pins = Pins(path, hold=hold)
    pins.see(offered(read="Reads.", write="Writes."))
    read, write = offered(read="Sends.", write="Writes.")
    pins.see((read, write))
    assert (pins.changed(read), pins.held(read), pins.held(write)) == (True, hold, False)


def test_another_process_accepts_for_a_gateway_that_runs(path: Path) -> None:
    running = Pins(path, hold=True)
    running.see(offered(read="Reads."))
    (read,) = offered(read="Sends.")
    running.see((read,))
    assert running.held(read)
    (accepted,) = Pins(path).accept("files__read")
    assert (accepted.old, accepted.new) == ("Reads.", "Sends.")
    assert not running.held(read)


def test_what_changes_after_it_was_accepted_is_held_back_again(path: Path) -> None:
    pins = Pins(path, hold=True)
    for text in ("Reads.", "Sends."):
        pins.see(offered(read=text))
    pins.accept("files__read")
    assert pins.held(offered(read="Sends more.")[0])


@pytest.mark.parametrize("pattern", ["my files", "my_files"])
def test_a_server_is_accepted_as_a_whole(path: Path, pattern: str) -> None:
    pins = Pins(path)
    pins.see([*offered("my files", read="a", write="b"), *offered("git", log="c")])
    changed = [*offered("my files", read="A", write="B"), *offered("git", log="C")]
    pins.see(changed)
    assert [change.name for change in pins.accept(pattern)] == ["my_files__read", "my_files__write"]
    assert [change.name for change in pins.see(changed)] == ["git__log"]


def test_accepting_what_was_never_seen_is_an_error_that_names_the_nearest(path: Path) -> None:
    pins = Pins(path)
    with pytest.raises(CallerError, match="'files__read' was seen; none was seen yet"):
        pins.accept("files__read")
    pins.see(offered(read="Reads."))
    with pytest.raises(CallerError, match="'file__raed' was seen; the nearest are 'files__read'"):
        pins.accept("file__raed")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_only_the_user_can_read_the_file(path: Path) -> None:
    Pins(path).see(offered(read="Reads."))
    assert [oct(found.stat().st_mode & 0o777) for found in (path, path.parent)] == ["0o600", "0o700"]


def test_a_damaged_file_is_replaced_and_its_content_not_lost(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cases = [b"\xff{", b"[]", b'{"servers": {"files": {"read": 5, "x": {"changed": 1}}}}', b""]
    for number, content in enumerate(cases):
        path = tmp_path / str(number) / PINS_FILE
        path.parent.mkdir()
        path.write_bytes(content)
        pins = Pins(path)
        assert pins.see(offered(read="Reads.")) == (), content
        assert len(pins.see(offered(read="Sends."))) == 1, content
        aside = path.with_name(path.name + ".damaged")
        assert not aside.exists() or aside.read_bytes() == content, content
        assert aside.exists() or b"servers" in content, content
    assert f"it is kept as {PINS_FILE}.damaged" in caplog.text


def test_nothing_is_lost_when_several_gateways_pin_at_once(path: Path) -> None:
    def see(server: str) -> None:
        pins = Pins(path)
        for number in range(5):
            pins.see(offered(server, **{f"tool{number}": "x"}))

    threads = [threading.Thread(target=see, args=(f"server{number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    servers = json.loads(path.read_text(encoding="utf-8"))["servers"]
    assert {server: len(own) for server, own in servers.items()} == {f"server{number}": 5 for number in range(6)}


def test_pins_are_in_the_users_data_folder_by_default() -> None:
    Pins().see(offered(read="Reads."))
    assert (data_folder() / PINS_FILE).is_file()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(CallerError, match="cannot be written"):
        Pins(tmp_path / "a" / "pins.json").see(offered(read="Reads."))


def test_a_path_below_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CallerError, match="its folder must be writable"):
        Pins(tmp_path / "file" / "pins.json").see(offered(read="Reads."))
