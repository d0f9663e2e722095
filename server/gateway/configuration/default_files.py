"""The files that hosts keep their servers in."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from server.errors import CallerError

PROJECT_FILES: Final = (
    ".mcp.json",
    ".vscode/mcp.json",
    ".cursor/mcp.json",
    ".gemini/settings.json",
    ".codex/config.toml",
    "opencode.json",
    "opencode.jsonc",
)
"""Files of a project, in the order in which they are read."""


def default_configurations(
    *,
    home: Path | None = None,
    environment: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
) -> tuple[Path, ...]:
    """The user's files that exist. A project's are not among them: its author could start programs with them.

    Args:
        home: the user's folder; default: this user's.
        environment: variables that move hosts' folders.
        platform: as `sys.platform`.

    Raises:
        CallerError: there is none; it names where was looked.
    """
    looked = list(_users(home or Path.home(), environment, platform))
    found = tuple(path for path in looked if path.is_file())
    if not found:
        places = ", ".join(str(path) for path in looked)
        raise CallerError(
            f"no configuration of MCP servers was found; looked for {places}; name one with --config FILE"
        )
    return found


def project_folder(
    path: Path, home: Path, environment: Mapping[str, str], *, platform: str = sys.platform
) -> Path | None:
    """The folder of the project that a file belongs to; None for a user's file and those of other names."""
    if path in _users(home, environment, platform):
        return None
    for name in PROJECT_FILES:
        parts = Path(name).parts
        folder = path.parents[len(parts) - 1] if len(path.parents) >= len(parts) else path.parent
        if path.parts[-len(parts) :] == parts:
            return folder
    return None


def _users(home: Path, environment: Mapping[str, str], platform: str) -> Iterator[Path]:
    programs = _programs(home, environment, platform)
    opencode = Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "opencode"
    yield home / ".claude.json"
    yield programs / "Claude" / "claude_desktop_config.json"
    yield home / ".cursor" / "mcp.json"
    yield home / ".codeium" / "windsurf" / "mcp_config.json"
    yield Path(environment.get("COPILOT_HOME") or home / ".copilot") / "mcp-config.json"
    yield home / ".gemini" / "settings.json"
    yield programs / "Code" / "User" / "mcp.json"
    yield Path(environment.get("CODEX_HOME") or home / ".codex") / "config.toml"
    yield opencode / "opencode.json"
    yield opencode / "opencode.jsonc"


def _programs(home: Path, environment: Mapping[str, str], platform: str) -> Path:
    """The folder in which desktop programs keep their settings."""
    if platform == "darwin":
        return home / "Library" / "Application Support"
    if platform == "win32":
        return Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
