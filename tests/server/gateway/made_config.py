"""Configurations of made servers, and lists as they would answer them."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import mcp_types
import pytest

from server.gateway.listing import Listed

SERVER: Final = str(Path(__file__).with_name("listing_server.py"))

TOOLS: Final[Mapping[str, Mapping[str, str]]] = {
    "files": {"read_file": "Shows the text of a file", "delete_file": "Removes a file for good"},
    "calendar": {"add_event": "Puts a meeting into the calendar"},
}
"""Descriptions by tool, by server."""


def listed(tools: Mapping[str, Mapping[str, str] | None], missing: Sequence[str] = ()) -> Listed:
    """Return the servers' answers; None for one that does not."""
    answered = {
        server: None if own is None else [_tool(*pair) for pair in own.items()] for server, own in tools.items()
    }
    return Listed(answered, tuple(missing))


class Servers:
    """Stands in for the servers of configurations."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.listed = listed(TOOLS)
        self.config = folder / "mcp.json"
        self.config.write_text('{"mcpServers": {"files": {"command": "none"}}}', encoding="utf-8")
        monkeypatch.setattr("server.cli.gateway_run.listed_tools", self._list)

    async def _list(self, _: object) -> Listed:
        return self.listed


def started_config(folder: Path, **more: Any) -> Path:
    """Return a configuration that starts the made servers, and whatever else is given."""
    entries: dict[str, Any] = {}
    for server, own in TOOLS.items():
        path = folder / f"{server}.json"
        tools = [_tool(*pair).model_dump(mode="json", by_alias=True, exclude_none=True) for pair in own.items()]
        path.write_text(json.dumps(tools), encoding="utf-8")
        entries[server] = {"command": sys.executable, "args": [SERVER, str(path)], **more.pop(server, {})}
    config = folder / "mcp.json"
    config.write_text(json.dumps({"mcpServers": entries | more}), encoding="utf-8")
    return config


def _tool(name: str, description: str) -> mcp_types.Tool:
    return mcp_types.Tool.model_validate(
        {"name": name, "description": description, "inputSchema": {"type": "object", "properties": {"name": {}}}}
    )
