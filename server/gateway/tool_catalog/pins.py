"""Pins: what each tool said when it was first seen, so that a change does not go unnoticed.

Each server has a file of its own, so that none can damage the pins of another. What cannot be told counts as changed:
with a file that cannot be read or written, and beyond `MAX_PINS` tools, a tool is held back.
"""

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from embeddings.files import read_text
from embeddings.text.invisible import visible
from server.errors import CallerError, brief, nearest
from server.files import Stamp, file_stamp
from server.gateway.tool_catalog.gateway_tool import GatewayTool
from server.gateway.tool_catalog.json_file import LARGEST, data_folder, locked, write_object
from server.gateway.tool_catalog.names import SEPARATOR

SHOWN: Final = 200
"""Characters of a description that are kept and shown."""

MAX_PINS: Final = 5_000
"""Tools of one server that are pinned over time, as many as one list may have. Their file has 20 MB at most."""

FOLDER: Final = "gateway-pins"

Pin = dict[str, Any]


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


def shown(tool: GatewayTool) -> str:
    """Return the beginning of a tool's description."""
    return visible((tool.tool.description or "")[:SHOWN], one_line=True)


def _key(text: str) -> str:
    """Return a short name that a file can have or hold, whatever a server calls itself or its tools."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass
class ServerPins:
    """The pins of one server.

    Attributes:
        server: its name in the configuration.
        pins: by the hash of a tool's own name.
        trouble: why the file cannot be used; empty if it can. There are no pins then.
    """

    server: str
    pins: dict[str, Pin] = field(default_factory=dict)
    trouble: str = ""

    def pin_of(self, tool: GatewayTool) -> Pin | None:
        """Return a tool's pin; None if it has none."""
        return self.pins.get(_key(tool.own_name))

    def is_news(self, tool: GatewayTool) -> bool:
        """Return whether a tool is to be pinned, or has changed since the file was written."""
        pin = self.pin_of(tool)
        if pin is None:
            return len(self.pins) < MAX_PINS
        return bool(tool.fingerprint != pin.get("changed", pin)["fingerprint"])

    def note(self, tool: GatewayTool) -> None:
        """Pin a tool, or note how it has changed."""
        if self.pin_of(tool) is None and len(self.pins) >= MAX_PINS:
            return
        seen = {"fingerprint": tool.fingerprint, "description": shown(tool)}
        pin = self.pins.setdefault(_key(tool.own_name), seen | {"name": tool.name})
        pin["name"] = tool.name
        pin.pop("changed", None)
        if pin["fingerprint"] != tool.fingerprint:
            pin["changed"] = seen

    def write(self, path: Path) -> None:
        """Write the file.

        Raises:
            CallerError: it cannot be written.
        """
        write_object(path, {"server": self.server, "tools": self.pins, "digest": _digest(self.pins)})


def read_pins(path: Path, server: str | None = None) -> ServerPins:
    """Read a server's file; one that is missing has no pins, and one that cannot be used says so.

    Args:
        path: the file.
        server: whose it must be (default: anyone's).
    """
    found = ServerPins(server or path.stem)
    try:
        value = json.loads(read_text(path, LARGEST))
        found.server, found.pins = _checked(value, server)
    except FileNotFoundError:
        return found
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error) or type(error).__name__
        found.trouble = (
            f"the pins of server {brief(found.server)} cannot be used ({why}); {brief(str(path))} must be as this "
            "program wrote it, and nobody can tell what has changed; look at what the server's tools say now, and "
            "remove the file to pin them as they are"
        )
    return found


def _checked(value: Any, server: str | None) -> tuple[str, dict[str, Pin]]:
    if not isinstance(value, dict) or not isinstance(value.get("server"), str) or not _are_pins(value.get("tools")):
        raise ValueError("it does not hold pins")
    if value.get("digest") != _digest(value["tools"]):
        raise ValueError("they are not as they were written")
    if server not in (None, value["server"]):
        raise ValueError(f"they are of {brief(value['server'])}")
    return value["server"], value["tools"]


def _digest(pins: Mapping[str, Pin]) -> str:
    """Return a digest, by which damage is noticed; it is no protection from somebody who writes the file."""
    return hashlib.sha256(json.dumps(pins, sort_keys=True).encode()).hexdigest()


def _are_pins(pins: object) -> bool:
    return isinstance(pins, dict) and len(pins) <= MAX_PINS and all(map(_is_pin, pins.values()))


def _is_pin(pin: object, *, more: tuple[str, ...] = ("name",)) -> bool:
    if not isinstance(pin, dict):
        return False
    texts = all(isinstance(pin.get(key), str) for key in ("fingerprint", "description", *more))
    return texts and ("changed" not in pin or _is_pin(pin["changed"], more=()))


def accept_change(pin: Pin) -> Change | None:
    """Accept what a tool was last seen to be; None if it had not changed."""
    changed = pin.pop("changed", None)
    if changed is None:
        return None
    change = Change(pin["name"], pin["description"], changed["description"])
    pin |= changed
    return change


class Pins:
    """The fingerprints of tools in the user's data folder. Safe to share between threads and processes."""

    def __init__(self, folder: Path | None = None, *, hold: bool = False) -> None:
        """Keep pins in a folder.

        Args:
            folder: of the files (default: in the user's data folder).
            hold: whether changed tools are held back until they are accepted.

        Raises:
            CallerError: there is no data folder.
        """
        self._folder = folder or data_folder() / FOLDER
        self._hold = hold
        self._lock = threading.Lock()
        self._known: dict[str, tuple[Stamp | None, ServerPins]] = {}
        self._troubles: dict[str, str] = {}

    def path(self, server: str) -> Path:
        """Return the file of a server."""
        return self._folder / f"{_key(server)}.json"

    @property
    def troubles(self) -> Mapping[str, str]:
        """Why the tools of some servers cannot be compared with what they were; by server."""
        return self._troubles

    def see(self, tools: Sequence[GatewayTool]) -> tuple[Change, ...]:
        """Pin tools that were not seen before, and return those that changed since."""
        for server, own in groupby(sorted(tools, key=attrgetter("server")), attrgetter("server")):
            trouble = self._see(server, list(own))
            self._troubles.pop(server, None)
            if trouble:
                self._troubles[server] = trouble + ("; until then its tools are held back" if self._hold else "")
        return tuple(filter(None, map(self._change, tools)))

    def changed(self, tool: GatewayTool) -> bool:
        """Return whether a tool is not as it was first seen or last accepted."""
        pin = self._of(tool.server).pin_of(tool)
        return pin is not None and pin["fingerprint"] != tool.fingerprint

    def held(self, tool: GatewayTool) -> bool:
        """Return whether a tool is held back, because it changed or nothing says what it was."""
        return self._hold and (self.changed(tool) or self._of(tool.server).pin_of(tool) is None)

    def accept(self, pattern: str) -> tuple[Change, ...]:
        """Accept the changes of one tool, or of all of a server's, as they were last seen.

        Args:
            pattern: `SERVER` or `SERVER__TOOL`; the server as the configuration calls it or as in names of its tools.

        Returns:
            What was accepted; nothing if nothing had changed.

        Raises:
            CallerError: no such server or tool was seen, or a file cannot be read or written.
        """
        accepted: list[Change] = []
        known: list[str] = []
        is_known = False
        for path in sorted(self._folder.glob("*.json")):
            with self._lock, locked(path):
                own = read_pins(path, pattern if path == self.path(pattern) else None)
                if own.trouble and path == self.path(pattern):
                    raise CallerError(own.trouble)
                meant = [pin for pin in own.pins.values() if _is_meant(pattern, own.server, pin)]
                changes = [*filter(None, map(accept_change, meant))]
                if changes:
                    own.write(path)
            accepted += changes
            is_known = is_known or bool(meant)
            known += [own.server, *(pin["name"] for pin in own.pins.values())]
        if not is_known:
            raise _unknown(pattern, known)
        return tuple(sorted(accepted, key=attrgetter("name")))

    def _see(self, server: str, tools: Sequence[GatewayTool]) -> str:
        """Pin a server's tools; return why that cannot be done, and nothing if it could."""
        own = self._of(server)
        if not own.trouble and any(map(own.is_news, tools)):
            try:
                with self._lock, locked(self.path(server)):
                    own = read_pins(self.path(server), server)
                    if not own.trouble:
                        for tool in tools:
                            own.note(tool)
                        own.write(self.path(server))
            except CallerError as error:
                return str(error)
        if not own.trouble and any(own.pin_of(tool) is None for tool in tools):
            return (
                f"server {brief(server)} had over {MAX_PINS:,} tools; at most {MAX_PINS:,} are pinned; look at what "
                f"they say now, and remove {brief(str(self.path(server)))} to pin them as they are"
            )
        return own.trouble

    def _change(self, tool: GatewayTool) -> Change | None:
        pin = self._of(tool.server).pin_of(tool)
        if pin is None or pin["fingerprint"] == tool.fingerprint:
            return None
        return Change(tool.name, pin["description"], shown(tool))

    def _of(self, server: str) -> ServerPins:
        """Return a server's pins as its file has them now."""
        path = self.path(server)
        stamp = file_stamp(path)
        known = self._known.get(server)
        if known is None or known[0] != stamp:
            known = self._known[server] = (stamp, read_pins(path, server))
        return known[1]


def _is_meant(pattern: str, server: str, pin: Pin) -> bool:
    return pattern in (server, pin["name"], pin["name"].partition(SEPARATOR)[0])


def _unknown(pattern: str, known: Sequence[str]) -> CallerError:
    near = ", ".join(map(repr, nearest(pattern, known, 3)))
    return CallerError(
        f"no server or tool {brief(pattern)} was seen; {f'the nearest are {near}' if near else 'none was seen yet'}; "
        "give SERVER or SERVER__TOOL, or start the gateway first"
    )
