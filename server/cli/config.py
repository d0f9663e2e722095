"""The subcommand `config`."""

import argparse
import json
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any, Final

from server.cli.options import Subcommands, add_command, add_data

NAME: Final = "agent-capabilities"
HOSTS: Final = ("claude-code", "codex-cli", "copilot-cli", "gemini-cli", "opencode", "vscode-copilot")


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "config", "show how to add this server to a host", run)
    command.add_argument("host", choices=HOSTS, metavar="HOST", help=f"one of {', '.join(HOSTS)}")
    add_data(command)


def run(options: argparse.Namespace) -> int:
    """Print the command or the snippet."""
    print(snippet(options.host, server_command(options.data)))
    return 0


def server_command(data: str | None = None) -> list[str]:
    """The command that starts this installation, whatever the host's search path is."""
    installed = shutil.which(NAME, path=str(Path(sys.executable).parent)) or shutil.which(NAME)
    start = [installed] if installed else [sys.executable, "-m", "agent_capabilities"]
    return [*start, "serve", *(["--data", str(Path(data).expanduser().resolve())] if data else [])]


def snippet(host: str, command: list[str]) -> str:
    """The command to run, or the file to edit and what to put into it."""
    if host == "claude-code":
        return f"claude mcp add {NAME} -- {shlex.join(command)}"
    if host == "gemini-cli":
        return f"gemini mcp add {NAME} {shlex.join(command)}"
    if host == "codex-cli":
        start, *arguments = map(_toml, command)
        return f"# ~/.codex/config.toml\n[mcp_servers.{NAME}]\ncommand = {start}\nargs = [{', '.join(arguments)}]"
    if host == "opencode":
        server = {"type": "local", "command": command, "enabled": True}
        return f"# ~/.config/opencode/opencode.json\n{json.dumps({'mcp': {NAME: server}}, indent=2)}"
    entry: dict[str, Any] = {"command": command[0], "args": command[1:]}
    if host == "copilot-cli":
        content = {"mcpServers": {NAME: {"type": "local", **entry, "tools": ["*"]}}}
        return f"# ~/.copilot/mcp-config.json\n{json.dumps(content, indent=2)}"
    return f"# .vscode/mcp.json\n{json.dumps({'servers': {NAME: {'type': 'stdio', **entry}}}, indent=2)}"


def _toml(text: str) -> str:
    """A string of TOML: escapes are those of JSON, and DEL needs one, too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
