"""The file that makes each host start a server."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from server.cli.serve_options import HOST_NAMES
from server.errors import CallerError
from server.gateway.configuration.configurations import loads
from server.gateway.host_snippets import HOSTS, Server, advice, file_text, host_of, own_command

COMMAND = ("/opt/my tools/agent-capabilities", "serve")
SERVER = Server("agent-capabilities", COMMAND)
PASSING = Server("agent-capabilities", COMMAND, ("A", "B"))
REMOTE = Server("agent-capabilities", url="https://a.example/mcp", token="KEY")


def content(host: str, server: Server) -> dict[str, Any]:
    text = file_text(HOSTS[host], server)
    assert text.endswith("\n")
    return tomllib.loads(text) if host == "codex-cli" else json.loads(text)


def entry(host: str, server: Server) -> dict[str, Any]:
    (servers,) = content(host, server).values()
    found: dict[str, Any] = servers[server.name]
    return found


def test_hosts_get_their_files() -> None:
    program = {"command": COMMAND[0], "args": ["serve"]}
    expected: dict[str, dict[str, Any]] = {
        "claude-code": {"mcpServers": {"agent-capabilities": {"type": "stdio", **program, "alwaysLoad": True}}},
        "claude-desktop": {"mcpServers": {"agent-capabilities": program}},
        "codex-cli": {"mcp_servers": {"agent-capabilities": {**program, "required": True, "startup_timeout_sec": 30}}},
        "copilot-cli": {"mcpServers": {"agent-capabilities": {"type": "local", **program, "tools": ["*"]}}},
        "cursor": {"mcpServers": {"agent-capabilities": program}},
        "gemini-cli": {"mcpServers": {"agent-capabilities": program}},
        "opencode": {"mcp": {"agent-capabilities": {"type": "local", "command": list(COMMAND), "enabled": True}}},
        "vscode-copilot": {"servers": {"agent-capabilities": {"type": "stdio", **program}}},
    }
    assert {host: content(host, SERVER) for host in HOST_NAMES} == expected


def test_every_string_stands_in_toml_as_it_is() -> None:
    command = (r'C:\my "tools"\agent-capabilities', "serve", "--data", "Ü\x7f\n")
    assert entry("codex-cli", Server("a", command))["args"] == list(command[1:])


def test_variables_are_passed_on_by_reference() -> None:
    expected: dict[str, tuple[str, object]] = {
        "claude-code": ("env", {"A": "${A}", "B": "${B}"}),
        "codex-cli": ("env_vars", ["A", "B"]),
        "copilot-cli": ("env", {"A": "${A}", "B": "${B}"}),
        "cursor": ("env", {"A": "${env:A}", "B": "${env:B}"}),
        "gemini-cli": ("env", {"A": "$A", "B": "$B"}),
        "opencode": ("environment", {"A": "{env:A}", "B": "{env:B}"}),
        "vscode-copilot": ("env", {"A": "${env:A}", "B": "${env:B}"}),
    }
    for host, (key, references) in expected.items():
        assert entry(host, PASSING)[key] == references, host


def test_claude_desktop_which_expands_no_references_gets_none_and_the_user_is_told() -> None:
    assert content("claude-desktop", PASSING) == content("claude-desktop", SERVER)
    assert advice(HOSTS["claude-desktop"], PASSING)[-1].endswith("set A, B where it is started")


def test_an_address_is_written_with_a_reference_to_its_token() -> None:
    def headers(reference: str) -> dict[str, Any]:
        return {"headers": {"Authorization": f"Bearer {reference}"}}

    url = {"url": REMOTE.url}
    expected: dict[str, dict[str, Any]] = {
        "claude-code": {"type": "http", **url, **headers("${KEY}"), "alwaysLoad": True},
        "codex-cli": {**url, "bearer_token_env_var": "KEY", "required": True, "startup_timeout_sec": 30},
        "copilot-cli": {"type": "http", **url, **headers("${KEY}"), "tools": ["*"]},
        "cursor": {**url, **headers("${env:KEY}")},
        "gemini-cli": {"type": "http", **url, **headers("$KEY")},
        "opencode": {"type": "remote", **url, **headers("{env:KEY}"), "enabled": True},
        "vscode-copilot": {"type": "http", **url, **headers("${env:KEY}")},
    }
    assert {host: entry(host, REMOTE) for host in expected} == expected


def test_what_a_host_cannot_take_is_refused_with_what_to_do() -> None:
    cases = [
        ("claude-desktop", REMOTE, "its file has programs only; add the address under Settings > Connectors"),
        ("gemini-cli", Server("a", ("run", "--data", "/a$b")), r"it replaces '\$b', and has no way"),
        ("opencode", Server("a", ("run", "{env:X}")), "it replaces '{env:X}'"),
    ]
    for host, server, message in cases:
        with pytest.raises(CallerError, match=message):
            file_text(HOSTS[host], server)
    with pytest.raises(CallerError, match=r"unknown host 'cursr'; known: .*; did you mean 'cursor'\? choose one"):
        host_of("cursr")


def test_claude_codes_command_has_the_same_entry() -> None:
    line = advice(HOSTS["claude-code"], SERVER)[-1]
    before, _, given = line.partition(" agent-capabilities ")
    assert before == "or run: claude mcp add-json --scope user"
    assert loads(given.strip("'")) == entry("claude-code", SERVER)


def test_every_host_is_known_with_the_command_of_this_installation() -> None:
    assert tuple(HOSTS) == HOST_NAMES
    assert Path(own_command()[0]).is_absolute()
