"""Reads configuration files into upstreams with distinct names."""

import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from server.errors import CallerError, brief
from server.files import read_table
from server.gateway.configuration.entry import SkippedEntryError, upstream_of
from server.gateway.configuration.fields import TABLES, Entry, Form, form_of
from server.gateway.configuration.references import (
    Ask,
    Resolver,
    Surroundings,
    UnresolvedError,
    ask_on_terminal,
    questions,
)
from server.gateway.configuration.upstream_config import Configuration, UpstreamConfig

_STRING: Final = r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)'
_COMMENT: Final = re.compile(rf"{_STRING}|//[^\n]*+|/\*.*?(?:\*/|\Z)", re.DOTALL)
_TRAILING_COMMA: Final = re.compile(rf"{_STRING}|,(?=\s*+[}}\]])", re.DOTALL)
# An unfinished string or comment extends to the end of the text, so that a text of many takes time in proportion to it.


def loads(text: str) -> object:
    """Read JSON; lines keep their numbers, and of a name given twice the last counts.

    Raises:
        ValueError: the text is not JSON.
        RecursionError: it is nested too deeply.
    """
    return json.loads(_TRAILING_COMMA.sub(_without_comma, _COMMENT.sub(_without_comment, text)))


def _without_comment(found: re.Match[str]) -> str:
    part = found.group()
    return part if part.startswith('"') else " " + "\n" * part.count("\n")


def _without_comma(found: re.Match[str]) -> str:
    part = found.group()
    return part if part.startswith('"') else " "


PROJECT_FILES: Final = (
    ".mcp.json",
    ".github/mcp.json",
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
    """Return the user's files that exist. A project's are not among them: its author could start programs with them.

    Args:
        home: the user's folder; default: this user's.
        environment: variables that move hosts' folders.
        platform: as `sys.platform`.

    Raises:
        CallerError: there is none; it names where was looked.
    """
    looked = [path for paths in user_files(home, environment, platform).values() for path in paths]
    found = tuple(path for path in looked if path.is_file())
    if not found:
        places = ", ".join(str(path) for path in looked)
        raise CallerError(
            f"no configuration of MCP servers was found; looked for {places}; name one with --config FILE"
        )
    return found


def working_folder(
    path: Path, home: Path, environment: Mapping[str, str], *, platform: str = sys.platform
) -> Path | None:
    """Return the folder from which a file's relative paths start: its project's, else its own.

    None for a user's file of a host: its servers run where the host runs, which is where the gateway runs.
    """
    if any(path in paths for paths in user_files(home, environment, platform).values()):
        return None
    for name in PROJECT_FILES:
        parts = Path(name).parts
        if path.parts[-len(parts) :] == parts and len(path.parents) >= len(parts):
            return path.parents[len(parts) - 1]
    return path.parent


def user_files(
    home: Path | None = None, environment: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> dict[str, tuple[Path, ...]]:
    """Return the files of each host that hold the user's own servers, in the order in which they are read."""
    at = home or Path.home()
    programs = _programs(at, environment, platform)
    opencode = Path(environment.get("XDG_CONFIG_HOME") or at / ".config") / "opencode"
    return {
        "claude-code": (Path(environment.get("CLAUDE_CONFIG_DIR") or at) / ".claude.json",),
        "claude-desktop": (programs / "Claude" / "claude_desktop_config.json",),
        "cursor": (at / ".cursor" / "mcp.json",),
        "windsurf": (at / ".codeium" / "windsurf" / "mcp_config.json",),
        "copilot-cli": (Path(environment.get("COPILOT_HOME") or at / ".copilot") / "mcp-config.json",),
        "gemini-cli": (Path(environment.get("GEMINI_CLI_HOME") or at) / ".gemini" / "settings.json",),
        "vscode-copilot": (programs / "Code" / "User" / "mcp.json",),
        "codex-cli": (Path(environment.get("CODEX_HOME") or at / ".codex") / "config.toml",),
        "opencode": (opencode / "opencode.json", opencode / "opencode.jsonc"),
    }


def _programs(home: Path, environment: Mapping[str, str], platform: str) -> Path:
    """Return the folder in which desktop programs keep their settings."""
    if platform == "darwin":
        return home / "Library" / "Application Support"
    if platform == "win32":
        return Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config")


MAX_SERVERS: Final = 1000
"""Maximum servers of one file."""


def read_configurations(
    paths: Sequence[Path],
    *,
    cwd: Path | None = None,
    environment: Mapping[str, str] = os.environ,
    ask: Ask = ask_on_terminal,
) -> Configuration:
    """Read the servers of files, in their order.

    Args:
        paths: the files; one that is given again is read once.
        cwd: the working folder; default: the process's.
        environment: the variables that references name.
        ask: asks for VS Code's inputs that no variable answers.

    Raises:
        CallerError: a file cannot be read, or an entry has a field of a wrong type.
    """
    reading = _Reading((cwd or Path.cwd()).resolve(), environment, ask)
    for path in dict.fromkeys(path.expanduser().absolute() for path in paths):
        reading.file(path)
    return Configuration(
        tuple(reading.upstreams.values()),
        tuple(reading.reports),
        tuple(reading.notes),
        tuple(sorted(reading.variables)),
    )


@dataclass
class _Reading:
    cwd: Path
    environment: Mapping[str, str]
    ask: Ask
    upstreams: dict[str, UpstreamConfig] = field(default_factory=dict)
    reports: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    variables: set[str] = field(default_factory=set)

    def file(self, path: Path) -> None:
        """Read one file."""
        table = read_table(path, "configuration", "'mcpServers' or the like to servers", loads=loads)
        origin = _origin(path, table)
        form = form_of(origin, table, self.cwd)
        if form is None or not form.servers:
            known = f"servers stand under one of {', '.join(map(repr, TABLES))}"
            self.notes.append(f"{brief(str(path))} has no MCP servers; {known}; add some, or leave the file out")
            return
        if len(form.servers) > MAX_SERVERS:
            given = f"{brief(str(path))} has {len(form.servers)} servers"
            raise CallerError(f"{given}; at most {MAX_SERVERS} are read; remove some")
        home = Path.home()
        folder = working_folder(origin, home, self.environment)
        asked = questions(form.inputs, brief(str(path))) if form.inputs else {}
        around = Surroundings(origin, folder or self.cwd, home, self.environment, asked, self.ask)
        for name, value in form.servers.items():
            self._entry(_entry(path, name, value), form, around, folder)
        self.variables |= around.variables

    def _entry(self, entry: Entry, form: Form, around: Surroundings, folder: Path | None) -> None:
        try:
            self._add(upstream_of(entry, form, Resolver(around, form.syntax), folder))
        except SkippedEntryError as skipped:
            (self.notes if skipped.expected else self.reports).append(skipped.reason)
        except UnresolvedError as missing:
            self.reports.append(f"{entry.where} {missing.value}; the server is left out; {missing.next_step}")

    def _add(self, upstream: UpstreamConfig) -> None:
        taken = self.upstreams.get(upstream.name)
        if taken is None:
            self.upstreams[upstream.name] = upstream
            return
        where = f"server {brief(upstream.name)} of {brief(str(upstream.source))}"
        if self._start(upstream) == self._start(taken):
            self.notes.append(
                f"{where} is the same as that of {brief(str(taken.source))}; it is started once; no change is needed"
            )
            return
        name = _free_name(upstream, self.upstreams.__contains__)
        self.upstreams[name] = replace(upstream, name=name)
        rule = f"{brief(str(taken.source))} has another server of this name"
        self.reports.append(f"{where} is called {brief(name)} here; {rule}; rename one of them to choose the name")

    def _start(self, upstream: UpstreamConfig) -> tuple[object, ...]:
        reached = (upstream.command, upstream.args, dict(upstream.env), upstream.cwd or self.cwd)
        return (upstream.transport, upstream.url, dict(upstream.headers), *reached, upstream.include, upstream.exclude)


ORIGIN: Final = "adoptedFrom"
"""Key of a file of the gateway's own: the host's file from which its servers were moved, and as which it is read."""


def _origin(path: Path, table: Mapping[str, object]) -> Path:
    origin = table.get(ORIGIN)
    return Path(origin) if isinstance(origin, str) and origin else path


def _entry(path: Path, name: str, value: object) -> Entry:
    where = f"server {brief(name)} of {brief(str(path))}"
    if not isinstance(value, dict):
        raise CallerError(f"{where} cannot be read; it must be a table; correct it in the file")
    if not name.strip():
        raise CallerError(f"{where} has a blank name; a server needs a name; correct it in the file")
    return Entry(name, path, value)


def _free_name(upstream: UpstreamConfig, is_taken: Callable[[str], bool]) -> str:
    stem = upstream.source.name.strip(".").partition(".")[0]
    first = f"{upstream.name}-{stem}" if stem else upstream.name
    name, number = first, 2
    while is_taken(name):
        name, number = f"{first}-{number}", number + 1
    return name
