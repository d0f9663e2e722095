"""What the file of pins holds for each tool."""

from dataclasses import dataclass
from typing import Any, Final

from embeddings.text.visible import visible
from server.gateway.tool_catalog.gateway_tool import GatewayTool

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
    """The beginning of a tool's description."""
    return visible((tool.tool.description or "")[:SHOWN], one_line=True)


def pins_in(content: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The pins by server and own name; what does not have the form of one is left out."""
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
