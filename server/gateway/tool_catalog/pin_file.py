"""The pin file of one server: fingerprints of its tools, bounded in size, and refused unless it is whole."""

import hashlib
import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from embeddings.files import read_text
from embeddings.text.invisible import visible
from server.errors import CallerError
from server.gateway.tool_catalog.gateway_tool import GatewayTool, digest
from server.gateway.tool_catalog.json_file import write_object
from server.gateway.tool_catalog.names import server_prefixes

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
