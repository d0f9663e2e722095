"""The command or the file that makes each host start this program."""

import json
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from server.errors import unknown

NAME: Final = "agent-capabilities"
HOSTS: Final = ("claude-code", "codex-cli", "copilot-cli", "gemini-cli", "opencode", "vscode-copilot")
ALL_HOSTS: Final = tuple(sorted((*HOSTS, "claude-desktop", "cursor")))

FILES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "claude-code": ".mcp.json",
        "claude-desktop": "claude_desktop_config.json",
        "codex-cli": "~/.codex/config.toml",
        "copilot-cli": "~/.copilot/mcp-config.json",
        "cursor": "~/.cursor/mcp.json",
        "gemini-cli": ".gemini/settings.json",
        "opencode": "~/.config/opencode/opencode.json",
        "vscode-copilot": ".vscode/mcp.json",
    }
)
"""The file that a host's snippet goes to, or that its command writes."""

_REFERENCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "claude-code": "${%s}",
        "copilot-cli": "${%s}",
        "cursor": "${env:%s}",
        "gemini-cli": "$%s",
        "opencode": "{env:%s}",
        "vscode-copilot": "${env:%s}",
    }
)
"""How a host's configuration refers to an environment variable. Codex has names alone, and Claude Desktop nothing."""


def own_command() -> list[str]:
    """Return the command of this installation, whatever the host's search path is."""
    installed = shutil.which(NAME, path=str(Path(sys.executable).parent)) or shutil.which(NAME)
    return [installed] if installed else [sys.executable, "-m", "agent_capabilities"]


def snippet(host: str, command: Sequence[str], variables: Sequence[str] = ()) -> str:
    """Return the command to run, or the file to edit and what to put into it.

    Args:
        host: one of `ALL_HOSTS`.
        command: what the host is to start.
        variables: environment variables that the host is to pass on. They are written as references, without values.
    """
    if host == "claude-code":
        # References are expanded in the file of the project, so that is where they are added.
        scope = "--scope project " if variables else ""
        return f"claude mcp add {scope}{NAME}{_options(host, variables)} -- {shlex.join(command)}"
    if host == "gemini-cli":
        return f"gemini mcp add{_options(host, variables)} {NAME} {shlex.join(command)}"
    body = (
        _codex(command, variables) if host == "codex-cli" else json.dumps(_content(host, command, variables), indent=2)
    )
    return f"# {FILES[host]}\n{body}"


def _content(host: str, command: Sequence[str], variables: Sequence[str]) -> dict[str, Any]:
    references = {name: _REFERENCES[host] % name for name in variables} if host in _REFERENCES else {}
    env: dict[str, Any] = {"env": references} if references else {}
    if host == "opencode":
        environment = {"environment": references} if references else {}
        return {"mcp": {NAME: {"type": "local", "command": list(command), **environment, "enabled": True}}}
    entry: dict[str, Any] = {"command": command[0], "args": list(command[1:]), **env}
    if host == "copilot-cli":
        return {"mcpServers": {NAME: {"type": "local", **entry, "tools": ["*"]}}}
    if host == "vscode-copilot":
        return {"servers": {NAME: {"type": "stdio", **entry}}}
    return {"mcpServers": {NAME: entry}}


def _codex(command: Sequence[str], variables: Sequence[str]) -> str:
    start, *arguments = map(_toml, command)
    passed = f"\nenv_vars = [{', '.join(map(_toml, variables))}]" if variables else ""
    return f"[mcp_servers.{NAME}]\ncommand = {start}\nargs = [{', '.join(arguments)}]{passed}"


def _options(host: str, variables: Sequence[str]) -> str:
    return "".join(f" -e {shlex.quote(f'{name}={_REFERENCES[host] % name}')}" for name in variables)


def _toml(text: str) -> str:
    """Return a string of TOML: escapes are those of JSON, and DEL needs one, too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def printed_config(
    host: str,
    files: Sequence[Path],
    variables: Sequence[str] = (),
    *,
    options: Sequence[str] = (),
    cwd: Path | None = None,
) -> str:
    """Return the host's entry that starts the gateway, after comments on what else to do.

    Args:
        host: one of `ALL_HOSTS`.
        files: the configurations to put behind the gateway.
        variables: environment variables that they refer to (`Configuration.variables`); values are never printed.
        options: further options of the gateway.
        cwd: the working folder; default: the process's.

    Raises:
        CallerError: the host is not known.
    """
    if host not in ALL_HOSTS:
        raise unknown("host", host, ALL_HOSTS, "choose one of these")
    folder = cwd or Path.cwd()
    paths = [(folder / path.expanduser()).resolve() for path in files]
    command = [*own_command(), "gateway", *(part for path in paths for part in ("--config", str(path))), *options]
    return "\n".join([*_advice(host, paths, variables, folder), snippet(host, command, variables)])


def _advice(host: str, paths: Sequence[Path], variables: Sequence[str], folder: Path) -> list[str]:
    place = FILES[host]
    target = (folder / Path(place).expanduser()).resolve()
    replaced = [path for path in paths if path == target or (host == "claude-desktop" and path.name == place)]
    lines = [
        f"# this goes in the place of {path}: rename that file first, and give --config its new name"
        for path in replaced
    ]
    if host == "claude-desktop" and variables:
        lines.append(f"# Claude Desktop expands no references: set {', '.join(variables)} where it is started")
    return lines
