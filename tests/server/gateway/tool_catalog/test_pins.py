"""Pins of tools."""

import errno
import json
import os
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.errors import CallerError
from server.gateway.tool_catalog import json_file
from server.gateway.tool_catalog.gateway_tool import gateway_tools
from server.gateway.tool_catalog.json_file import data_folder
from server.gateway.tool_catalog.pins import FOLDER, MAX_PINS, Pins
from tests.server.gateway.tool_catalog.tools import offered, tool


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "user" / FOLDER


@pytest.fixture
def path(folder: Path) -> Path:
    """Return the file of the server whose tools `offered` returns."""
    return Pins(folder).path("files")


def test_a_tool_that_stays_as_it_was_is_not_changed_nor_written_again(folder: Path, path: Path) -> None:
    assert Pins(folder).see(offered(read="Reads.")) == ()
    assert Pins(folder).see(offered(read="Reads.")) == ()
    assert not Pins(folder).changed(offered(read="Reads.")[0])
    pins = Pins(folder)
    pins.see(offered(read="Reads."))
    os.utime(path, (1, 1))
    pins.see(offered(read="Reads."))
    assert path.stat().st_mtime == 1


def test_a_changed_description_is_reported_with_what_was_and_is_there(folder: Path, path: Path) -> None:
    Pins(folder).see(offered(read="Reads.", write="Writes."))
    (change,) = Pins(folder).see(offered(read="Reads. " + "Sends it to me. " * 50, write="Writes."))
    assert (change.name, change.old) == ("files__read", "Reads.")
    assert change.new.startswith("Reads. Sends it")
    assert len(change.new) == 200
    assert str(change).startswith("files__read changed since it was first seen: 'Reads.' became 'Reads. Sends")


def test_a_change_of_the_schema_alone_is_reported_as_such(folder: Path, path: Path) -> None:
    pins = Pins(folder)
    pins.see(gateway_tools({"files": [tool("read", "Reads.")]}))
    (change,) = pins.see(gateway_tools({"files": [tool("read", "Reads.", inputSchema={"type": "object", "a": 1})]}))
    assert "the schema or the annotations changed" in str(change)


def test_a_change_is_reported_until_it_is_accepted(folder: Path, path: Path) -> None:
    Pins(folder).see(offered(read="Reads."))
    for _ in range(2):
        assert len(Pins(folder).see(offered(read="Sends."))) == 1
    Pins(folder).accept("files__read")
    assert Pins(folder).see(offered(read="Sends.")) == ()
    assert len(Pins(folder).see(offered(read="Reads."))) == 1


def test_a_tool_that_is_as_it_was_first_is_no_longer_changed(folder: Path, path: Path) -> None:
    pins = Pins(folder)
    for text in ("Reads.", "Sends.", "Reads."):
        changes = pins.see(offered(read=text))
    assert changes == ()
    assert pins.accept("files") == ()


@pytest.mark.parametrize("hold", [False, True])
def test_changed_tools_are_held_back_only_where_that_is_wanted(folder: Path, path: Path, hold: bool) -> None:
    pins = Pins(folder, hold=hold)
    pins.see(offered(read="Reads.", write="Writes."))
    read, write = offered(read="Sends.", write="Writes.")
    pins.see((read, write))
    assert (pins.changed(read), pins.held(read), pins.held(write)) == (True, hold, False)


def test_another_process_accepts_for_a_gateway_that_runs(folder: Path, path: Path) -> None:
    running = Pins(folder, hold=True)
    running.see(offered(read="Reads."))
    (read,) = offered(read="Sends.")
    running.see((read,))
    assert running.held(read)
    (accepted,) = Pins(folder).accept("files__read")
    assert (accepted.old, accepted.new) == ("Reads.", "Sends.")
    assert not running.held(read)


def test_what_changes_after_it_was_accepted_is_held_back_again(folder: Path, path: Path) -> None:
    pins = Pins(folder, hold=True)
    for text in ("Reads.", "Sends."):
        pins.see(offered(read=text))
    pins.accept("files__read")
    assert pins.held(offered(read="Sends more.")[0])


@pytest.mark.parametrize("pattern", ["my files", "my_files"])
def test_a_server_is_accepted_as_a_whole(folder: Path, path: Path, pattern: str) -> None:
    pins = Pins(folder)
    pins.see([*offered("my files", read="a", write="b"), *offered("git", log="c")])
    changed = [*offered("my files", read="A", write="B"), *offered("git", log="C")]
    pins.see(changed)
    assert [change.name for change in pins.accept(pattern)] == ["my_files__read", "my_files__write"]
    assert [change.name for change in pins.see(changed)] == ["git__log"]


def test_accepting_what_was_never_seen_is_an_error_that_names_the_nearest(folder: Path, path: Path) -> None:
    pins = Pins(folder)
    with pytest.raises(CallerError, match="'files__read' was seen; none was seen yet"):
        pins.accept("files__read")
    pins.see(offered(read="Reads."))
    with pytest.raises(CallerError, match="'file__raed' was seen; the nearest are 'files__read'"):
        pins.accept("file__raed")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_only_the_user_can_read_the_file(folder: Path, path: Path) -> None:
    Pins(folder).see(offered(read="Reads."))
    assert [oct(found.stat().st_mode & 0o777) for found in (path, path.parent)] == ["0o600", "0o700"]


DAMAGED = {
    "no JSON": b"\xff{",
    "another shape": b"[]",
    "nothing": b"",
    "no pins": b"{}",
    "a pin of another shape": b'{"server": "files", "tools": {"read": 5}}',
    "nested deeply": b'{"server": "files", "tools": ' + b"[" * 100_000,
}


def test_with_a_damaged_file_every_tool_is_held_back_and_the_file_stays(
    folder: Path, path: Path, subtests: pytest.Subtests
) -> None:
    pinned = Pins(folder)
    pinned.see(offered(read="Reads."))
    whole = path.read_bytes()
    files = DAMAGED | {
        "cut off": whole[:-5],
        "of another server": whole.replace(b'"files"', b'"other"'),
        "too large": whole + b" " * (64 << 20),
    }
    for name, content in files.items():
        with subtests.test(name=name):
            path.write_bytes(content)
            pins = Pins(folder, hold=True)
            for text in ("Reads.", "Sends."):
                tools = offered(read=text)
                assert pins.see(tools) == ()
                assert pins.held(tools[0])
            assert f"remove {str(path)!r}" in pins.troubles["files"] or "remove the file" in pins.troubles["files"]
            assert pins.troubles["files"].endswith("; until then its tools are held back")
            assert path.read_bytes() == content
            with pytest.raises(CallerError, match="cannot be used"):
                pins.accept("files")


@given(content=st.binary(max_size=200), at=st.integers(0, 400), text=st.sampled_from(["Sends.", "Sends more."]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_file_holds_a_changed_tool_is_held_back(tmp_path: Path, content: bytes, at: int, text: str) -> None:
    pins = Pins(tmp_path, hold=True)
    path = pins.path("files")
    path.unlink(missing_ok=True)
    pins.see(offered(read="Reads."))
    whole = path.read_bytes()
    path.write_bytes(whole[:at] + content + whole[at + len(content) :])
    changed = offered(read=text)
    pins.see(changed)
    assert pins.held(changed[0])


def test_a_damaged_file_concerns_no_other_server(folder: Path, path: Path) -> None:
    Pins(folder).see([*offered(read="Reads."), *offered("git", log="Logs.")])
    path.write_bytes(b"")
    pins = Pins(folder, hold=True)
    tools = [*offered(read="Reads."), *offered("git", log="Logs.")]
    assert pins.see(tools) == ()
    assert [tool.server for tool in tools if pins.held(tool)] == ["files"]


def test_a_removed_file_pins_the_tools_as_they_are(folder: Path, path: Path) -> None:
    pins = Pins(folder, hold=True)
    pins.see(offered(read="Reads."))
    path.write_bytes(b"")
    pins.see(offered(read="Sends."))
    path.unlink()
    tools = offered(read="Sends.")
    assert pins.see(tools) == ()
    assert not pins.held(tools[0])
    assert pins.troubles == {}


def test_lists_of_ever_new_tools_hold_back_their_own_server_alone(folder: Path, path: Path) -> None:
    pins = Pins(folder, hold=True)
    pins.see(offered("git", log="Logs."))
    for start in range(0, MAX_PINS + 1, MAX_PINS // 2):
        flood = gateway_tools(
            {"files": [tool(f"{number}" + "x" * 3500, "x" * 999) for number in range(start, start + MAX_PINS // 2)]}
        )
        pins.see(flood)
    assert path.stat().st_size < 20_000_000
    assert "had over 5,000 tools" in pins.troubles["files"]
    assert pins.held(flood[-1])
    assert not pins.held(offered("git", log="Logs.")[0])
    assert pins.held(offered("git", log="Sends.")[0])


def test_tools_that_cannot_be_pinned_are_held_back(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    pins = Pins(folder, hold=True)
    pins.see(offered(read="Reads."))
    monkeypatch.setattr(json_file, "write_atomically", full)
    tools = offered(read="Sends.", write="Writes.")
    assert len(pins.see(tools)) == 1
    assert [pins.held(tool) for tool in tools] == [True, True]
    assert "(No space left on device); its folder must be writable" in pins.troubles["files"]


def test_with_a_file_in_the_place_of_the_folder_every_tool_is_held_back(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    pins = Pins(tmp_path / "file" / "pins", hold=True)
    tools = offered(read="Reads.")
    assert pins.see(tools) == ()
    assert pins.held(tools[0])
    assert "Not a directory" in pins.troubles["files"]


def test_another_file_in_the_place_of_the_pins_holds_them_back(folder: Path, path: Path) -> None:
    pins = Pins(folder, hold=True)
    pins.see(offered(read="Reads."))
    path.unlink()
    path.mkdir()
    tools = offered(read="Reads.")
    pins.see(tools)
    assert pins.held(tools[0])
    if hasattr(os, "mkfifo"):
        path.rmdir()
        os.mkfifo(path)
        pins.see(tools)
        assert pins.held(tools[0])


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
    files = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")]
    assert {file["server"]: len(file["tools"]) for file in files} == {f"server{number}": 5 for number in range(6)}


def test_pins_are_in_the_users_data_folder_by_default() -> None:
    Pins().see(offered(read="Reads."))
    assert [path.suffix for path in (data_folder() / FOLDER).glob("*.json")] == [".json"]
