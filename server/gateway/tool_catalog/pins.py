"""Pins: what each tool said when it was first seen, so that a change does not go unnoticed.

Each server has a file of its own, bounded in size and refused unless it is whole, so that none can damage another's.
"""

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from embeddings.files import read_text
from embeddings.text.invisible import visible
from server.errors import CallerError, brief, nearest
from server.files import Stamp, file_stamp
from server.gateway.tool_catalog.gateway_tool import GatewayTool, digest
from server.gateway.tool_catalog.json_file import data_folder, locked, write_object
from server.gateway.tool_catalog.names import SEPARATOR, server_prefixes

Pin: TypeAlias = dict[str, Any]
"""What a tool said when it was first seen, and under "changed" what it says since."""

PinsByTool: TypeAlias = dict[str, Pin]
"""Pins of a server by the hash of the tool's own name, which a server may make as long as it likes."""

SHOWN: Final = 200
"""Characters of a description that are kept and shown."""

MAX_TOOLS: Final = 5_000
"""Maximum number of tools that are pinned for a server: as many as its list may have.

No pin is dropped to make room: a tool that left the list and came back with another description would pass as new.
"""

_MAX_PIN: Final = 2_500
"""Maximum bytes of a tool's pin: two descriptions of up to four bytes a character, and some 500 bytes beside."""

MAX_BYTES: Final = MAX_TOOLS * _MAX_PIN
"""Maximum bytes of a pin file."""

_FINGERPRINT: Final = re.compile(r"[0-9a-f]{64}")
_HASH: Final = 32


@lru_cache(maxsize=1024)
def pin_path(folder: Path, server: str) -> Path:
    """Return a server's pin file: a readable beginning, and a hash that no other server has."""
    return folder / f"{readable(server)}-{_hash(server)[:_HASH]}.json"


def readable(server: str) -> str:
    """Return a server's name in letters that every file system takes."""
    return server_prefixes([server])[server]


def pin_key(own_name: str) -> str:
    """Return the key of a tool's pin."""
    return _hash(own_name)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_pins(path: Path) -> tuple[str, PinsByTool] | None:
    """Return the name of a server and its pins; None if there is no file.

    Raises:
        CallerError: the file cannot be read, or is not as it was written.
    """
    match _read(path, MAX_BYTES):
        case None:
            return None
        case {"server": str() as server, "tools": dict() as tools, "digest": str() as told}:
            whole = told == digest([server, tools]) and path.name == pin_path(path.parent, server).name
            if whole and all(_is_pin(pin) for pin in tools.values()):
                return server, tools
    raise unreadable(path, "it is not as the gateway wrote it")


def write_pins(folder: Path, server: str, pins: PinsByTool) -> None:
    """Write a server's pins.

    Raises:
        CallerError: the file cannot be written.
    """
    write_object(pin_path(folder, server), {"server": server, "tools": pins, "digest": digest([server, pins])})


def unreadable(path: Path, reason: str) -> CallerError:
    """Return the error for a pin file that cannot be used."""
    return CallerError(
        f"the pin file {str(path)!r} cannot be used ({reason}); it must be a file as the gateway writes it; make it "
        "readable or put back a copy; or, if you trust what the tools say now, remove it, and they are pinned anew"
    )


def _read(path: Path, most: int) -> dict[str, Any] | None:
    """Return the JSON object in a file; None if there is no file."""
    try:
        value = json.loads(read_text(path, most))
    except FileNotFoundError as error:
        if not path.is_symlink():
            return None
        raise unreadable(path, "a link to a file that is not there") from error
    except OSError as error:
        raise unreadable(path, error.strerror or type(error).__name__) from error
    except (ValueError, RecursionError) as error:
        raise unreadable(path, f"no JSON: {type(error).__name__}") from error
    if not isinstance(value, dict):
        raise unreadable(path, "no JSON object")
    return value


def _is_pin(pin: object, *, more: tuple[str, ...] = ("name",)) -> bool:
    if not isinstance(pin, dict):
        return False
    texts = all(isinstance(pin.get(key), str) for key in ("fingerprint", "description", *more))
    return (
        texts
        and _FINGERPRINT.fullmatch(pin["fingerprint"]) is not None
        and ("changed" not in pin or _is_pin(pin["changed"], more=()))
    )


def shown(tool: GatewayTool) -> str:
    """Return the beginning of a tool's description."""
    return visible((tool.tool.description or "")[:SHOWN], one_line=True)


def note(pins: PinsByTool, tool: GatewayTool) -> bool:
    """Pin a tool, or note how it has changed; return whether there was room for its pin."""
    key = pin_key(tool.own_name)
    if key not in pins and len(pins) >= MAX_TOOLS:
        return False
    said = {"fingerprint": tool.fingerprint, "description": shown(tool)}
    pin = pins.setdefault(key, dict(said))
    pin["name"] = tool.name
    pin.pop("changed", None)
    if pin["fingerprint"] != tool.fingerprint:
        pin["changed"] = said
    return True


def full(path: Path, left: int) -> CallerError:
    """Return the error for tools that found no room in a pin file."""
    return CallerError(
        f"{left:,} of its tools found no room in the pin file {str(path)!r}; it holds {MAX_TOOLS:,} tools, also those "
        "that the server no longer has; exclude tools in the configuration; or, if you trust what the tools say now, "
        "remove the file, and they are pinned anew"
    )


@dataclass(frozen=True)
class Change:
    """A tool that is not as it was first seen.

    Attributes:
        name: the gateway's name for it.
        old: the beginning of the description that was accepted.
        new: the beginning of the present one; the same if something else changed, such as the schema.
    """

    name: str
    old: str
    new: str

    def __str__(self) -> str:
        same = " (the description begins as before; its rest, the schema or the annotations changed)"
        return f"{self.name} changed since it was first seen: {self.old!r} became {self.new!r}" + (
            same if self.old == self.new else ""
        )


def accept_change(pin: dict[str, Any]) -> Change | None:
    """Accept what a tool was last seen to be; None if it had not changed."""
    changed = pin.pop("changed", None)
    if changed is None:
        return None
    change = Change(pin["name"], pin["description"], changed["description"])
    pin |= changed
    return change


FOLDER: Final = "gateway-pins"

_Content = TypeVar("_Content")


class Pins:
    """The fingerprints of tools in the user's data folder. Safe to share between threads and processes.

    A pin file that cannot be used is never taken as empty: what it would say is unknown, so no tool passes.
    """

    def __init__(self, folder: Path | None = None, *, hold: bool = False) -> None:
        """Keep pins in a folder, in a file for each server.

        Args:
            folder: the folder (default: in the user's data folder).
            hold: whether tools are held back until what they say is pinned or accepted.

        Raises:
            CallerError: there is no data folder.
        """
        self._folder = folder or data_folder() / FOLDER
        self._hold = hold
        self._lock = threading.Lock()
        self._known: dict[Path, tuple[Stamp, Any]] = {}
        self._unwritten: set[str] = set()
        self._troubles: dict[str, str] = {}

    @property
    def troubles(self) -> Mapping[str, str]:
        """Why tools that were seen last are not pinned, and what to do, by server."""
        return dict(self._troubles)

    def see(self, tools: Sequence[GatewayTool]) -> tuple[Change, ...]:
        """Pin tools that were not seen before, and return those that changed since; `troubles` tells of the others."""
        changes: list[Change] = []
        # What could not be read before may be there again.
        self._known = {path: known for path, known in self._known.items() if not isinstance(known[1], CallerError)}
        for server, own in _by_server(tools).items():
            self._troubles.pop(server, None)
            try:
                self._see(server, own)
            except CallerError as error:
                lost = "new and changed tools are held back" if self._hold else "changes of its tools are not noticed"
                again = "; then start the gateway again" if server in self._unwritten else ""
                self._troubles[server] = f"server {brief(server)}: {lost}: {error}{again}"
            changes += filter(None, map(self._change, own))
        return tuple(changes)

    def changed(self, tool: GatewayTool) -> bool:
        """Return whether a tool is known not to be as it was first seen or last accepted."""
        return self._change(tool) is not None

    def held(self, tool: GatewayTool) -> bool:
        """Return whether a tool is held back because it changed, or because it is not known whether it did."""
        if not self._hold:
            return False
        try:
            pins = self._pins(tool.server)
        except CallerError:
            return True
        if pins is None:  # As at a first start, unless the pins of this start could not be written.
            return tool.server in self._unwritten
        return pins.get(pin_key(tool.own_name), {}).get("fingerprint") != tool.fingerprint

    def accept(self, pattern: str) -> tuple[Change, ...]:
        """Accept the changes of one tool, or of all of a server's, as they were last seen.

        Args:
            pattern: `SERVER` or `SERVER__TOOL`; the server as the configuration calls it or as in names of its tools.

        Returns:
            What was accepted; nothing if nothing had changed.

        Raises:
            CallerError: no such server or tool was seen, or the pins cannot be read or written.
        """
        kept: dict[str, PinsByTool] = {}
        for path in sorted(self._folder.glob("*.json")):
            try:
                if found := read_pins(path):
                    kept[found[0]] = found[1]
            except CallerError:
                if path.stem.rpartition("-")[0] in (readable(pattern), readable(pattern.partition(SEPARATOR)[0])):
                    raise
        servers = [server for server, pins in kept.items() if any(_chosen(pattern, server, pins))]
        if not servers:
            raise _unknown(pattern, kept)
        accepted = [change for server in servers for change in self._accept(server, pattern)]
        return tuple(sorted(accepted, key=lambda change: change.name))

    def _accept(self, server: str, pattern: str) -> list[Change]:
        path = pin_path(self._folder, server)
        with self._lock, locked(path):
            _, pins = read_pins(path) or (server, {})
            accepted = [*filter(None, map(accept_change, _chosen(pattern, server, pins)))]
            if accepted:
                self._write(server, pins)
        return accepted

    def _see(self, server: str, tools: Sequence[GatewayTool]) -> None:
        """Pin the tools of one server.

        Raises:
            CallerError: the file cannot be read or written, or has no room.
        """
        pins = self._pins(server)
        if pins is not None and not any(_is_news(pins, tool) for tool in tools):
            return
        path = pin_path(self._folder, server)
        self._unwritten.add(server)
        with self._lock, locked(path):
            _, pins = read_pins(path) or (server, {})
            news = [tool for tool in tools if _is_news(pins, tool)]
            left = sum(not note(pins, tool) for tool in news)
            if len(news) > left:
                self._write(server, pins)
        self._unwritten.discard(server)
        if left:
            raise full(path, left)

    def _change(self, tool: GatewayTool) -> Change | None:
        try:
            pin = (self._pins(tool.server) or {}).get(pin_key(tool.own_name))
        except CallerError:
            return None
        if pin is None or pin["fingerprint"] == tool.fingerprint:
            return None
        return Change(tool.name, pin["description"], shown(tool))

    def _pins(self, server: str) -> PinsByTool | None:
        """Return the pins of a server as its file has them now; None if it has none.

        Raises:
            CallerError: the file cannot be used.
        """
        path = pin_path(self._folder, server)
        found = self._read(path, lambda: read_pins(path))
        return found[1] if found else None

    def _read(self, path: Path, read: Callable[[], _Content]) -> _Content:
        """Return what `read` returns, or raise what it raises, again only when the file at `path` has changed."""
        stamp = file_stamp(path)
        known = self._known.get(path)
        if stamp is None:
            return read()
        if known is None or known[0] != stamp:
            try:
                known = stamp, read()
            except CallerError as error:
                known = stamp, error
            self._known[path] = known
        if isinstance(known[1], CallerError):
            raise CallerError(str(known[1])) from known[1]
        return known[1]

    def _write(self, server: str, pins: PinsByTool) -> None:
        write_pins(self._folder, server, pins)
        self._known.pop(pin_path(self._folder, server), None)


def _by_server(tools: Iterable[GatewayTool]) -> dict[str, list[GatewayTool]]:
    found: dict[str, list[GatewayTool]] = {}
    for tool in tools:
        found.setdefault(tool.server, []).append(tool)
    return found


def _is_news(pins: PinsByTool, tool: GatewayTool) -> bool:
    pin = pins.get(pin_key(tool.own_name))
    return pin is None or tool.fingerprint != pin.get("changed", pin)["fingerprint"]


def _chosen(pattern: str, server: str, pins: PinsByTool) -> list[Pin]:
    return [pin for pin in pins.values() if pattern in (server, pin["name"], pin["name"].partition(SEPARATOR)[0])]


def _unknown(pattern: str, kept: Mapping[str, PinsByTool]) -> CallerError:
    known = [*kept, *(pin["name"] for pins in kept.values() for pin in pins.values())]
    near = ", ".join(map(repr, nearest(pattern, known, 3)))
    return CallerError(
        f"no server or tool {brief(pattern)} was seen; {f'the nearest are {near}' if near else 'none was seen yet'}; "
        "give SERVER or SERVER__TOOL, or start the gateway first"
    )
