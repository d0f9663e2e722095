"""Pin files that are damaged, too large, unwritable or of an earlier version: no tool passes unseen."""

import errno
import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.errors import CallerError
from server.gateway.tool_catalog.gateway_tool import GatewayTool
from server.gateway.tool_catalog.pins import (
    FOLDER,
    MAX_BYTES,
    MAX_TOOLS,
    Pins,
    PinsByTool,
    pin_key,
    pin_path,
    read_pins,
    write_pins,
)
from tests.server.gateway.tool_catalog.tools import offered

READS, SENDS = offered(read="Reads.")[0], offered(read="Sends.")[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "user" / FOLDER


@pytest.fixture
def path(folder: Path) -> Path:
    """The pin file of a server whose tool was seen."""
    Pins(folder).see([READS])
    return pin_path(folder, "files")


def held(folder: Path, *tools: GatewayTool) -> list[bool]:
    """Return which tools are held back by a gateway that starts now."""
    pins = Pins(folder, hold=True)
    pins.see(tools)
    return [pins.held(tool) for tool in tools]


def test_a_flood_of_long_names_empties_no_pins(folder: Path) -> None:
    other, changed = offered("git", log="Logs.")[0], offered("git", log="Sends.")[0]
    Pins(folder).see([READS, other])
    for turn in range(5):
        names = (f"{turn}_{number}_".ljust(3_500, "x") for number in range(4_900))
        Pins(folder).see([replace(SENDS, own_name=name) for name in names])
    assert pin_path(folder, "files").stat().st_size < MAX_BYTES
    assert held(folder, SENDS, changed) == [True, True]
    assert held(folder, READS, other) == [False, False]


def test_tools_beyond_the_limit_are_held_back_and_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.gateway.tool_catalog.pins.MAX_TOOLS", 3)
    pins = Pins(folder, hold=True)
    tools = offered(**{f"tool{number}": "x" for number in range(5)})
    pins.see(tools)
    assert [pins.held(tool) for tool in tools] == [False] * 3 + [True] * 2
    assert pins.troubles["files"].startswith(
        "server 'files': new and changed tools are held back: 2 of its tools found"
    )
    assert "remove the file, and they are pinned anew" in pins.troubles["files"]
    pins.see(tools[:2])
    assert pins.troubles == {}


def test_the_largest_pins_fit_into_a_file_that_is_read(folder: Path) -> None:
    said = {"fingerprint": "a" * 64, "description": "\U0001f642" * 200}
    pins: PinsByTool = {pin_key(str(number)): said | {"name": "a" * 64, "changed": said} for number in range(MAX_TOOLS)}
    write_pins(folder, "files", pins)
    assert read_pins(pin_path(folder, "files")) == ("files", pins)


def _folder_instead(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _fifo_instead(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _link_to_nothing(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.with_name("nowhere"))


def _of_another_server(path: Path) -> None:
    Pins(path.parent).see(offered("git", read="Sends."))
    path.write_bytes(pin_path(path.parent, "git").read_bytes())


def _another_fingerprint(path: Path) -> None:
    path.write_text(path.read_text(encoding="utf-8").replace(READS.fingerprint, SENDS.fingerprint), encoding="utf-8")


DAMAGE: list[Callable[[Path], object]] = [
    lambda path: path.write_bytes(b""),
    lambda path: path.write_bytes(b"\xff{"),
    lambda path: path.write_bytes(b"null"),
    lambda path: path.write_bytes(b"{}"),
    lambda path: path.write_bytes(b"[" * 100_000),
    lambda path: path.write_bytes(b'{"server": "files", "tools": {}}'),
    lambda path: path.write_bytes(path.read_bytes()[:-3]),
    lambda path: path.write_bytes(b" " * (MAX_BYTES + 1)),
    _folder_instead,
    _of_another_server,
    _another_fingerprint,
    *([_fifo_instead, _link_to_nothing] if sys.platform != "win32" else []),
]


def test_with_a_damaged_file_nothing_of_the_server_passes(path: Path) -> None:
    other = offered("mail", send="Mails.")[0]
    Pins(path.parent).see([other])
    content = path.read_bytes()
    for damage in DAMAGE:
        path.rmdir() if path.is_dir() else path.unlink()
        path.write_bytes(content)
        damage(path)
        for _ in range(2):
            assert held(path.parent, READS, SENDS, other) == [True, True, False]
        pins = Pins(path.parent)
        assert pins.see([SENDS]) == ()
        assert str(path) in pins.troubles["files"]
        assert "remove it, and they are pinned anew" in pins.troubles["files"]
        with pytest.raises(CallerError, match="cannot be used"):
            pins.accept("files__read")


def test_a_file_that_cannot_be_opened_holds_all_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> str:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("server.gateway.tool_catalog.pins.read_text", refused)
    assert held(path.parent, READS, SENDS) == [True, True]


def test_pins_that_cannot_be_written_hold_what_is_not_in_them_back(
    path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise CallerError("the file cannot be written (No space left on device); make room")

    monkeypatch.setattr("server.gateway.tool_catalog.pins.write_object", full)
    new, first = offered(write="Writes.")[0], offered("git", log="Logs.")[0]
    assert held(folder, READS, new) == [False, True]
    assert held(folder, SENDS, first) == [True, True]
    monkeypatch.undo()
    assert held(folder, SENDS, new, first) == [True, False, False]


def test_a_removed_file_is_pinned_anew_while_the_gateway_runs(path: Path) -> None:
    path.write_bytes(b"x")
    pins = Pins(path.parent, hold=True)
    pins.see([SENDS])
    assert pins.held(SENDS)
    path.unlink()
    assert not pins.held(SENDS)
    pins.see([SENDS])
    assert (pins.troubles, pins.held(SENDS), pins.held(READS)) == ({}, False, True)


def test_names_of_servers_are_safe_as_names_of_files(folder: Path) -> None:
    names = ["../../etc", "CON", "con", "a/b", "a\\b", "a:b", "", ".", "ü" * 300, "x" * 300, "a b", "a_b", "nul.json"]
    paths = [pin_path(folder, name) for name in names]
    assert {each.parent for each in paths} == {folder}
    assert len({each.name.casefold() for each in paths}) == len(names)
    assert all(len(each.name) < 80 and each.stem.replace("_", "").replace("-", "").isalnum() for each in paths)
    for name in names:
        Pins(folder).see(offered(name, read="Reads."))
        assert held(folder, *offered(name, read="Reads."), *offered(name, read="Sends.")) == [False, True]


def says(content: bytes, tool: GatewayTool) -> bool:
    """Return whether the bytes of a pin file, as they stand, hold a tool's fingerprint."""
    return tool.fingerprint.encode() in content


@given(st.data())
def test_no_bytes_in_a_pin_file_let_a_changed_tool_pass(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("pins") / FOLDER
    path = pin_path(folder, "files")
    Pins(folder).see([READS, *offered(write="Writes.")])
    good = path.read_bytes()
    start, end = sorted(data.draw(st.lists(st.integers(0, len(good)), min_size=2, max_size=2)))
    damaged = st.binary(max_size=50).map(lambda middle: good[:start] + middle + good[end:])
    content = data.draw(st.one_of(st.binary(), damaged))
    path.write_bytes(content)
    assert not says(content, SENDS)
    assert held(folder, SENDS) == [True]
    assert held(folder, SENDS) == [True]


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["server", "tools", "digest", "files"]) | st.text(), inner)
        ),
    )
)
def test_no_json_in_a_pin_file_lets_a_changed_tool_pass(
    tmp_path_factory: pytest.TempPathFactory, value: object
) -> None:
    folder = tmp_path_factory.mktemp("pins") / FOLDER
    Pins(folder).see([READS])
    pin_path(folder, "files").write_text(json.dumps(value), encoding="utf-8")
    assert held(folder, SENDS) == [True]
