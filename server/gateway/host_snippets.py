"""What makes each host start this program: the host's files, and the entry that goes into them."""

import json
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from server.errors import CallerError, brief, unknown
from server.gateway.configuration.configurations import user_files
from server.gateway.configuration.edits import JSON, JSON_WITH_COMMENTS, TOML, Format
from server.gateway.configuration.references import Syntax

PROGRAM: Final = "agent-capabilities"

SERVE: Final = "agent-capabilities"
GATEWAY: Final = "gateway"
"""Names of the entries of `serve` and of `gateway`, so that one host can hold both."""

STARTUP_SECONDS: Final = 30
"""Time that Codex, which waits 10 s by default, gives a server to start."""

Scope = Literal["user", "project"]


@dataclass(frozen=True)
class Host:
    """A program that starts MCP servers.

    Attributes:
        name: as users give it.
        title: its vendor's name.
        project: its file in a project's folder; None: it has none.
        reference: how its file refers to an environment variable; None: it cannot.
        syntax: the references that it replaces in a server's command.
        table: the key of its file under which servers stand.
        format: how its file is written.
        types: the types of an entry with a command and of one with an address; None: such an entry has none.
        more: what its entries have besides.
    """

    name: str
    title: str
    project: str | None
    reference: str | None
    syntax: Syntax
    table: str = "mcpServers"
    format: Format = JSON_WITH_COMMENTS
    types: tuple[str | None, str | None] = (None, None)
    more: Mapping[str, Any] = field(default_factory=dict)

    def file(self, scope: Scope = "user", folder: Path | None = None) -> Path:
        """Return the file that holds the servers of the user, or of the project in a folder (default: this one).

        Raises:
            CallerError: the host has no file for a project.
        """
        if scope == "user":
            return _first(user_files()[self.name])
        if self.project is None:
            raise CallerError(
                f"{self.name} was given with --scope project; {self.title} has servers of the user only; leave out "
                "--scope"
            )
        path = (folder or Path.cwd()) / self.project
        return _first([path, path.with_suffix(".jsonc")]) if self.name == "opencode" else path


def _first(places: Sequence[Path]) -> Path:
    """Return the first file that is there, else the first place."""
    return next((path for path in places if path.is_file()), places[0])


_ALL: Final = (
    # Without `alwaysLoad`, the first request of Claude Code can lack the server's tools.
    Host(
        "claude-code",
        "Claude Code",
        ".mcp.json",
        "${%s}",
        Syntax.BRACES,
        format=JSON,
        types=("stdio", "http"),
        more={"alwaysLoad": True},
    ),
    Host("claude-desktop", "Claude Desktop", None, None, Syntax.NONE, format=JSON),
    # Without `required`, Codex answers its first turn without the server's tools.
    Host(
        "codex-cli",
        "Codex",
        ".codex/config.toml",
        None,
        Syntax.NONE,
        table="mcp_servers",
        format=TOML,
        more={"required": True, "startup_timeout_sec": STARTUP_SECONDS},
    ),
    Host(
        "copilot-cli",
        "Copilot CLI",
        ".github/mcp.json",
        "${%s}",
        Syntax.BRACES_OR_DOLLAR,
        types=("local", "http"),
        more={"tools": ["*"]},
    ),
    Host("cursor", "Cursor", ".cursor/mcp.json", "${env:%s}", Syntax.BRACES),
    Host("gemini-cli", "Gemini CLI", ".gemini/settings.json", "$%s", Syntax.BRACES_OR_DOLLAR, types=(None, "http")),
    Host(
        "opencode",
        "OpenCode",
        "opencode.json",
        "{env:%s}",
        Syntax.CURLY,
        table="mcp",
        types=("local", "remote"),
        more={"enabled": True},
    ),
    Host(
        "vscode-copilot",
        "VS Code",
        ".vscode/mcp.json",
        "${env:%s}",
        Syntax.BRACES,
        table="servers",
        types=("stdio", "http"),
    ),
)
HOSTS: Final[Mapping[str, Host]] = MappingProxyType({host.name: host for host in _ALL})


def own_files(host: Host) -> list[Path]:
    """Return the files in which a host looks for servers: the user's, and that of the project in this folder."""
    return [*user_files()[host.name], *([Path.cwd() / host.project] if host.project else [])]


def host_of(name: str) -> Host:
    """Return the host of a name.

    Raises:
        CallerError: it is not known.
    """
    if name not in HOSTS:
        raise unknown("host", name, HOSTS, "choose one of these")
    return HOSTS[name]


@dataclass(frozen=True)
class Server:
    """What a host is to start, or to reach.

    Attributes:
        name: the entry's.
        command: the program and its arguments.
        variables: environment variables that the host is to pass on. Their values are never written.
        url: the address of a server that runs elsewhere, in the place of a command.
        token: the environment variable with the bearer token for that address.
    """

    name: str
    command: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    url: str | None = None
    token: str | None = None


def own_command() -> list[str]:
    """Return the command of this installation, whatever the host's search path is."""
    installed = shutil.which(PROGRAM, path=str(Path(sys.executable).parent)) or shutil.which(PROGRAM)
    return [installed] if installed else [sys.executable, "-m", "agent_capabilities"]


def host_entry(host: Host, server: Server) -> dict[str, Any]:
    """Return the entry of a server as a host's file has it.

    Raises:
        CallerError: the host has no entries for addresses, or would change a part of the entry.
    """
    program_type, address_type = host.types
    if server.url is None:
        return _typed(program_type) | _program(host, server) | dict(host.more)
    if host.name == "claude-desktop":
        raise CallerError(
            f"{brief(server.url)} cannot be given to {host.title}; its file has programs only; add the address under "
            "Settings > Connectors, or leave out --transport"
        )
    return _typed(address_type) | {"url": _plain(host, server.url)} | _access(host, server.token) | dict(host.more)


def _typed(kind: str | None) -> dict[str, Any]:
    return {"type": kind} if kind else {}


def _program(host: Host, server: Server) -> dict[str, Any]:
    program, *arguments = (_plain(host, part) for part in server.command)
    references = {name: host.reference % name for name in server.variables} if host.reference else {}
    if host.name == "opencode":
        return {"command": [program, *arguments], **({"environment": references} if references else {})}
    passed: dict[str, Any] = {"env": references} if references else {}
    if host.name == "codex-cli" and server.variables:
        passed = {"env_vars": list(server.variables)}
    return {"command": program, "args": arguments, **passed}


def _access(host: Host, token: str | None) -> dict[str, Any]:
    if token is None:
        return {}
    if host.reference is None:
        return {"bearer_token_env_var": token}
    return {"headers": {"Authorization": f"Bearer {host.reference % token}"}}


def _plain(host: Host, part: str) -> str:
    """Return a part of an entry that the host takes as it is.

    Raises:
        CallerError: it replaces a piece of it.
    """
    if found := host.syntax.value.search(part):
        raise CallerError(
            f"{brief(part)} cannot be given to {host.title}; it replaces {found.group()!r}, and has no way to write "
            "that out; choose a name without it"
        )
    return part


def file_text(host: Host, server: Server) -> str:
    """Return a file of the host that holds this server alone.

    Raises:
        CallerError: as in `host_entry`.
    """
    start = "" if host.format.is_toml else "{}\n"
    return host.format.put(start, host.table, server.name, host_entry(host, server))


def advice(host: Host, server: Server) -> list[str]:
    """Return where the file goes, for people."""
    places = [str(host.file())]
    if host.project:
        places.append(f"{host.project} of a project")
    lines = [f"{host.title} reads this from {' or '.join(places)}; keep the servers that are there"]
    if host.name == "claude-code":
        entry = json.dumps(host_entry(host, server), ensure_ascii=False)
        lines.append(f"or run: claude mcp add-json --scope user {server.name} {shlex.quote(entry)}")
    if host.reference is None and server.variables and host.name != "codex-cli":
        lines.append(f"{host.title} expands no references: set {', '.join(server.variables)} where it is started")
    return lines
