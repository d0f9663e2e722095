"""The forms that configuration files have: where their servers stand, and what their host understands."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from server.errors import CallerError, brief
from server.gateway.configuration.references.syntax import Syntax

TABLES: Final = ("mcpServers", "servers", "mcp_servers", "mcp")
"""The tables that hold servers."""

_DOLLAR_FOLDERS: Final = frozenset({".gemini", ".copilot", ".github"})
_OPENCODE_TYPES: Final = frozenset({"local", "remote"})


@dataclass(frozen=True)
class Form:
    """A file's servers, and how to read them.

    Attributes:
        servers: entries by name.
        syntax: the references that the host expands.
        inputs: what the host asks a person for, as the file has it.
        allowed: the only servers that the host starts; None: all.
        excluded: servers that the host does not start.
        limits_calls: `timeout` is the limit of a call; in OpenCode it is that of listing the tools.
    """

    servers: Mapping[str, object]
    syntax: Syntax
    inputs: object = ()
    allowed: frozenset[str] | None = None
    excluded: frozenset[str] = frozenset()
    limits_calls: bool = True

    def leaves_out(self, name: str) -> bool:
        """Whether the file says elsewhere that this server is not to start."""
        return name in self.excluded or (self.allowed is not None and name not in self.allowed)


def form_of(path: Path, table: Mapping[str, object], folder: Path) -> Form | None:
    """The form of a file; None if it has no servers.

    Args:
        path: the file.
        table: its content.
        folder: the working folder, for files that have servers of single projects.

    Raises:
        CallerError: what should hold servers is no table.
    """
    if "mcpServers" in table or "projects" in table or path.parent.name == ".gemini":
        return _mcp_servers(path, table, folder)
    if "servers" in table:
        return _vscode(path, table)
    if "mcp_servers" in table:
        return Form(_servers(path, table, "mcp_servers"), Syntax.NONE)
    return _mcp(path, table) if "mcp" in table else None


def _mcp_servers(path: Path, table: Mapping[str, object], folder: Path) -> Form | None:
    projects = table.get("projects")
    project = projects.get(folder.as_posix(), projects.get(str(folder))) if isinstance(projects, dict) else None
    own = _servers(path, project, "mcpServers") if isinstance(project, dict) else {}
    servers = {**_servers(path, table, "mcpServers"), **own}
    if not servers and "mcpServers" not in table:
        return None
    rules = table.get("mcp")
    gemini = rules if isinstance(rules, dict) else {}
    syntax = Syntax.BRACES_OR_DOLLAR if path.parent.name in _DOLLAR_FOLDERS else Syntax.BRACES
    allowed = _names(gemini.get("allowed"))
    return Form(servers, syntax, table.get("inputs", []), allowed or None, _names(gemini.get("excluded")))


def _vscode(path: Path, table: Mapping[str, object]) -> Form:
    return Form(_servers(path, table, "servers"), Syntax.BRACES, table.get("inputs", []))


def _mcp(path: Path, table: Mapping[str, object]) -> Form:
    """OpenCode's table, in which servers stand directly or under `servers`; or that of VS Code's settings."""
    servers = _servers(path, table, "mcp")
    inner = servers.get("servers")
    if isinstance(inner, dict) and all(isinstance(one, dict) for one in inner.values()):
        if not any(_is_opencode(one) for one in inner.values()) and "inputs" in servers:
            return _vscode(path, servers)
        servers = inner
    return Form(servers, Syntax.CURLY, limits_calls=False)


def _is_opencode(entry: Mapping[str, object]) -> bool:
    return entry.get("type") in _OPENCODE_TYPES or isinstance(entry.get("command"), list)


def _servers(path: Path, table: Mapping[str, object], key: str) -> dict[str, object]:
    value = table.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise CallerError(
            f"{brief(key)} of {brief(str(path))} cannot be read; it must map names to servers; correct the file"
        )
    return value


def _names(value: object) -> frozenset[str]:
    return frozenset(one for one in value if isinstance(one, str)) if isinstance(value, list) else frozenset()
