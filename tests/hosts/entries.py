"""Our entries in a host's own file, and the gateway's configuration of five servers."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from server.gateway.host_snippets import own_command
from tests.hosts.home import Home
from tests.hosts.hosts import Host

SECONDS: Final = {"calendar": 0, "diary": 0, "journal": 0, "ledger": 0, "notebook": 12}
"""The servers behind the gateway, and how long each takes to start."""

_FILES: Final = {
    "claude-code": (".claude.json", "mcpServers"),
    "codex-cli": (".codex/config.toml", "mcp_servers"),
    "copilot-cli": (".copilot/mcp-config.json", "mcpServers"),
    "gemini-cli": (".gemini/settings.json", "mcpServers"),
    "opencode": (".config/opencode/opencode.json", "mcp"),
}


def add_serve(host: Host, home: Home) -> None:
    """Put the entry of `serve` into a host."""
    add_entry(host, home, "agent-capabilities", serve_command())


def serve_command() -> list[str]:
    """Return the command that starts `serve`."""
    return [*own_command(), "serve"]


def add_gateway(host: Host, home: Home) -> None:
    """Put the entry of the gateway, with five servers behind it, into a host."""
    add_entry(host, home, "gateway", gateway_command(home))


def gateway_command(home: Home) -> list[str]:
    """Return the command that starts a gateway with five servers, whose configuration is written into a home."""
    upstream = str(Path(__file__).with_name("upstream.py"))
    servers = {
        name: {"command": sys.executable, "args": [upstream, name, str(seconds)]} for name, seconds in SECONDS.items()
    }
    configuration = home.write("gateway.json", json.dumps({"mcpServers": servers}))
    return [*own_command(), "gateway", "--config", str(configuration)]


def add_entry(host: Host, home: Home, name: str, command: Sequence[str]) -> None:
    """Put a server into a host's file, which keeps what else stands in it."""
    file, key = _FILES[host.name]
    path = home.folder / file
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    if path.suffix == ".toml":
        lines = [f"command = {json.dumps(command[0])}", f"args = {json.dumps(command[1:])}", "required = true"]
        home.write(file, "\n".join([before, f"[{key}.{name}]", *lines, "startup_timeout_sec = 30", ""]))
        return
    content = json.loads(before or "{}")
    content.setdefault(key, {})[name] = _entry(host, command)
    home.write(file, json.dumps(content, indent=2))


def _entry(host: Host, command: Sequence[str]) -> dict[str, Any]:
    if host.name == "opencode":
        return {"type": "local", "command": list(command), "enabled": True}
    more: dict[str, dict[str, Any]] = {
        "claude-code": {"alwaysLoad": True},
        "copilot-cli": {"type": "local", "tools": ["*"]},
    }
    return {"command": command[0], "args": list(command[1:]), **more.get(host.name, {})}
