"""Our entries in a host's own file, as our command writes them, and the gateway's configuration of five servers."""

import json
import sys
from pathlib import Path
from typing import Final

from checks.home import Home
from server.gateway.host_snippets import SERVE, Server, file_text, host_of, own_command
from tests.hosts.hosts import Host

SECONDS: Final = {"calendar": 0, "diary": 0, "journal": 0, "ledger": 0, "notebook": 12}
"""The servers behind the gateway, and how long each takes to start."""

_FILES: Final = {
    "claude-code": ".claude.json",
    "codex-cli": ".codex/config.toml",
    "copilot-cli": ".copilot/mcp-config.json",
    "gemini-cli": ".gemini/settings.json",
    "opencode": ".config/opencode/opencode.json",
}


def add_serve(host: Host, home: Home) -> None:
    """Put the entry of `serve` into a host."""
    _run(home, [*own_command(), "config", host.name, "--write"])


def remove_serve(host: Host, home: Home) -> None:
    """Take the entry of `serve` out of a host."""
    _run(home, [*own_command(), "config", host.name, "--remove"])


def add_gateway(host: Host, home: Home) -> None:
    """Put the entry of the gateway, with five servers behind it, into a host."""
    _add(host, home, _run(home, [*gateway_command(home), "--print-config", host.name]))


def add_desk(host: Host, home: Home) -> None:
    """Put a server of another maker into a host."""
    _add(host, home, file_text(host_of(host.name), Server("desk", _upstream("desk", 0))))


def adopt(host: Host, home: Home) -> None:
    """Move a host's servers behind the gateway."""
    _run(home, [*own_command(), "gateway", "adopt", host.name])


def give_back(host: Host, home: Home) -> None:
    """Give a host its servers back."""
    _run(home, [*own_command(), "gateway", "adopt", host.name, "--undo"])


def add_broken(host: Host, home: Home, *command: str) -> None:
    """Put an entry of `serve` into a host whose command is another, which cannot start."""
    _add(host, home, file_text(host_of(host.name), Server(SERVE, command)))


def serve_command() -> list[str]:
    """Return the command that starts `serve`."""
    return [*own_command(), "serve"]


def gateway_command(home: Home) -> list[str]:
    """Return the command that starts a gateway with five servers, whose configuration is written into a home."""
    commands = {name: _upstream(name, seconds) for name, seconds in SECONDS.items()}
    servers = {name: {"command": program, "args": options} for name, (program, *options) in commands.items()}
    configuration = home.write("gateway.json", json.dumps({"mcpServers": servers}))
    return [*own_command(), "gateway", "--config", str(configuration)]


def _upstream(name: str, seconds: int) -> tuple[str, ...]:
    return (sys.executable, str(Path(__file__).with_name("upstream.py")), name, str(seconds))


def _run(home: Home, command: list[str]) -> str:
    ended = home.run(command, {})
    assert ended.status == 0, ended.errors
    return ended.out


def _add(host: Host, home: Home, printed: str) -> None:
    path = home.folder / _FILES[host.name]
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    if path.suffix == ".toml":
        home.write(_FILES[host.name], f"{before}\n{printed}")
        return
    content = json.loads(before or "{}")
    for table, entries in json.loads(printed).items():
        content.setdefault(table, {}).update(entries)
    home.write(_FILES[host.name], json.dumps(content, indent=2))
