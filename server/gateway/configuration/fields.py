"""The fields of one server's entry, read with their types. Messages never repeat a value, which could be secret."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from server.errors import CallerError, brief
from server.gateway.configuration.references import Syntax

LONGEST: Final = 24 * 3600.0
"""Maximum seconds of a time limit; longer ones are cut to it."""

LONGEST_NUMBER: Final = 1024
"""Maximum bits of a number that is used as text."""

_KINDS: Final = {
    dict: "a table",
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
}


@dataclass(frozen=True)
class Entry:
    """A server's entry.

    Attributes:
        name: the server's name.
        file: the file.
        table: what the file says of it.
    """

    name: str
    file: Path
    table: Mapping[str, object] = field(repr=False)

    @property
    def where(self) -> str:
        """The entry and its file, for messages."""
        return f"server {brief(self.name)} of {brief(str(self.file))}"

    def wrong(self, key: str, rule: str) -> CallerError:
        """Return the error for a value that cannot be used."""
        kind = _KINDS.get(type(self.table.get(key)), "something else")
        return CallerError(f"{self.where} has {brief(key)} as {kind}; it must be {rule}; correct it in the file")

    def text(self, *keys: str) -> str | None:
        """Return the first of these that is there and not empty."""
        for key in keys:
            value = self.table.get(key)
            if value is not None and not isinstance(value, str):
                raise self.wrong(key, "text")
            if value:
                return self._plain(key, value)
        return None

    def texts(self, *keys: str) -> tuple[str, ...] | None:
        """Return the first list of texts that is there; numbers in it become texts."""
        for key in keys:
            value = self.table.get(key)
            if value is None:
                continue
            if not isinstance(value, list) or not all(_is_scalar(one) for one in value):
                raise self.wrong(key, "a list of texts")
            return tuple(self._plain(key, _scalar(one)) for one in value)
        return None

    def named(self, *keys: str) -> dict[str, str]:
        """Names and texts of all of these tables; numbers become texts, and null is passed over."""
        found: dict[str, str] = {}
        for key in keys:
            value = self.table.get(key)
            if value is None:
                continue
            if not isinstance(value, dict) or not all(one is None or _is_scalar(one) for one in value.values()):
                raise self.wrong(key, "a table of names and texts")
            pairs = ((self._plain(key, name), _scalar(one)) for name, one in value.items() if one is not None)
            found |= {name: self._plain(key, one) for name, one in pairs}
        return found

    def flag(self, key: str) -> bool | None:
        """True or false, if it is there."""
        value = self.table.get(key)
        if value is not None and not isinstance(value, bool):
            raise self.wrong(key, "true or false")
        return value

    def seconds(self, key: str) -> float | None:
        """Return a positive number, if it is there."""
        value = self.table.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
            raise self.wrong(key, "a number above 0")
        return float(value) if value < 1e15 else 1e15

    def _plain(self, key: str, value: str) -> str:
        if "\0" in value:
            raise self.wrong(key, "without NUL characters")
        return value


def _is_scalar(value: object) -> bool:
    # Python refuses to write very long numbers out, which TOML can have in hexadecimal.
    return isinstance(value, str | float) or (isinstance(value, int) and value.bit_length() <= LONGEST_NUMBER)


def _scalar(value: str | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


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
        """Return whether the file says elsewhere that this server is not to start."""
        return name in self.excluded or (self.allowed is not None and name not in self.allowed)


def form_of(path: Path, table: Mapping[str, object], folder: Path) -> Form | None:
    """Return the form of a file; None if it has no servers.

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
