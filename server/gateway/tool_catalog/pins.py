"""Pins: what each tool said when it was first seen, so that a change does not go unnoticed."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from embeddings.text.invisible import visible
from server.errors import CallerError, brief, nearest
from server.files import Stamp, file_stamp
from server.gateway.tool_catalog.gateway_tool import GatewayTool
from server.gateway.tool_catalog.json_file import data_folder, locked, read_object, read_or_put_aside, write_object
from server.gateway.tool_catalog.names import SEPARATOR

SHOWN: Final = 200
"""Characters of a description that are kept and shown."""


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


def note(own: dict[str, Any], tool: GatewayTool) -> None:
    """Pin a tool of a server's `own`, or note how it has changed."""
    seen = {"fingerprint": tool.fingerprint, "description": shown(tool)}
    pin = own.setdefault(tool.own_name, seen | {"name": tool.name})
    pin["name"] = tool.name
    pin.pop("changed", None)
    if pin["fingerprint"] != tool.fingerprint:
        pin["changed"] = seen


def accept_change(pin: dict[str, Any]) -> Change | None:
    """Accept what a tool was last seen to be; None if it had not changed."""
    changed = pin.pop("changed", None)
    if changed is None:
        return None
    change = Change(pin["name"], pin["description"], changed["description"])
    pin |= changed
    return change


def shown(tool: GatewayTool) -> str:
    """Return the beginning of a tool's description."""
    return visible((tool.tool.description or "")[:SHOWN], one_line=True)


def pins_in(content: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the pins by server and own name; what does not have the form of one is left out."""
    servers = content.get("servers")
    if not isinstance(servers, dict):
        return {}
    return {
        server: {name: pin for name, pin in own.items() if _is_pin(pin)}
        for server, own in servers.items()
        if isinstance(own, dict)
    }


def _is_pin(pin: object, *, more: tuple[str, ...] = ("name",)) -> bool:
    if not isinstance(pin, dict):
        return False
    texts = all(isinstance(pin.get(key), str) for key in ("fingerprint", "description", *more))
    return texts and ("changed" not in pin or _is_pin(pin["changed"], more=()))


PINS_FILE: Final = "gateway-pins.json"


class Pins:
    """The fingerprints of tools in the user's data folder. Safe to share between threads and processes."""

    def __init__(self, path: Path | None = None, *, hold: bool = False) -> None:
        """Keep pins in a file.

        Args:
            path: the file (default: in the user's data folder).
            hold: whether changed tools are held back until they are accepted.

        Raises:
            CallerError: there is no data folder.
        """
        self._path = path or data_folder() / PINS_FILE
        self._hold = hold
        self._lock = threading.Lock()
        self._stamp: Stamp | None = None
        self._pins: dict[str, dict[str, Any]] = {}

    def see(self, tools: Sequence[GatewayTool]) -> tuple[Change, ...]:
        """Pin tools that were not seen before, and return those that changed since.

        Raises:
            CallerError: the file cannot be written.
        """
        if any(self._is_news(tool) for tool in tools):
            with self._lock, locked(self._path):
                pins = pins_in(read_or_put_aside(self._path))
                for tool in tools:
                    note(pins.setdefault(tool.server, {}), tool)
                self._write(pins)
        return tuple(filter(None, map(self._change, tools)))

    def changed(self, tool: GatewayTool) -> bool:
        """Return whether a tool is not as it was first seen or last accepted."""
        pin = self._pin(tool)
        return pin is not None and pin["fingerprint"] != tool.fingerprint

    def held(self, tool: GatewayTool) -> bool:
        """Return whether a tool is held back because it changed."""
        return self._hold and self.changed(tool)

    def accept(self, pattern: str) -> tuple[Change, ...]:
        """Accept the changes of one tool, or of all of a server's, as they were last seen.

        Args:
            pattern: `SERVER` or `SERVER__TOOL`; the server as the configuration calls it or as in names of its tools.

        Returns:
            What was accepted; nothing if nothing had changed.

        Raises:
            CallerError: no such server or tool was seen, or the file cannot be written.
        """
        with self._lock, locked(self._path):
            pins = pins_in(read_or_put_aside(self._path))
            found = [
                pin
                for server, own in pins.items()
                for pin in own.values()
                if pattern in (server, pin["name"], pin["name"].partition(SEPARATOR)[0])
            ]
            if not found:
                raise _unknown(pattern, pins)
            accepted = tuple(filter(None, map(accept_change, found)))
            if accepted:
                self._write(pins)
        return accepted

    def _is_news(self, tool: GatewayTool) -> bool:
        pin = self._pin(tool)
        return pin is None or tool.fingerprint != pin.get("changed", pin)["fingerprint"]

    def _change(self, tool: GatewayTool) -> Change | None:
        pin = self._pin(tool)
        if pin is None or pin["fingerprint"] == tool.fingerprint:
            return None
        return Change(tool.name, pin["description"], shown(tool))

    def _pin(self, tool: GatewayTool) -> dict[str, Any] | None:
        stamp = file_stamp(self._path)
        if stamp != self._stamp:
            self._pins, self._stamp = pins_in(read_object(self._path) or {}), stamp
        pin: dict[str, Any] | None = self._pins.get(tool.server, {}).get(tool.own_name)
        return pin

    def _write(self, pins: dict[str, dict[str, Any]]) -> None:
        write_object(self._path, {"servers": pins})
        self._stamp = None


def _unknown(pattern: str, pins: dict[str, dict[str, Any]]) -> CallerError:
    known = [*pins, *(pin["name"] for own in pins.values() for pin in own.values())]
    near = ", ".join(map(repr, nearest(pattern, known, 3)))
    return CallerError(
        f"no server or tool {brief(pattern)} was seen; {f'the nearest are {near}' if near else 'none was seen yet'}; "
        "give SERVER or SERVER__TOOL, or start the gateway first"
    )
