import json
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest

from server.gateway.hosts.snippets import ALL_HOSTS, own_command, snippet

COMMAND = ["/opt/my tools/agent-capabilities", "serve"]


def content(text: str, path: str) -> dict[str, Any]:
    head, _, body = text.partition("\n")
    assert head == f"# {path}"
    value: dict[str, Any] = json.loads(body)
    return value


def test_claude_code_gets_a_command_that_a_shell_reads_rightly() -> None:
    expected = "claude mcp add agent-capabilities -- '/opt/my tools/agent-capabilities' serve"
    assert snippet("claude-code", COMMAND) == expected


def test_gemini_cli_gets_a_command_that_a_shell_reads_rightly() -> None:
    assert (
        snippet("gemini-cli", COMMAND) == "gemini mcp add agent-capabilities '/opt/my tools/agent-capabilities' serve"
    )


def test_copilot_cli_gets_its_file() -> None:
    assert content(snippet("copilot-cli", COMMAND), "~/.copilot/mcp-config.json") == {
        "mcpServers": {
            "agent-capabilities": {"type": "local", "command": COMMAND[0], "args": ["serve"], "tools": ["*"]}
        }
    }


def test_vscode_gets_its_file() -> None:
    assert content(snippet("vscode-copilot", COMMAND), ".vscode/mcp.json") == {
        "servers": {"agent-capabilities": {"type": "stdio", "command": COMMAND[0], "args": ["serve"]}}
    }


def test_codex_cli_gets_its_file() -> None:
    head, _, body = snippet("codex-cli", [r'C:\my "tools"\agent-capabilities', "serve", "--data", "Ü\x7f"]).partition(
        "\n"
    )
    assert head == "# ~/.codex/config.toml"
    assert tomllib.loads(body) == {
        "mcp_servers": {
            "agent-capabilities": {
                "command": r'C:\my "tools"\agent-capabilities',
                "args": ["serve", "--data", "Ü\x7f"],
            }
        }
    }


def test_opencode_gets_its_file() -> None:
    assert content(snippet("opencode", COMMAND), "~/.config/opencode/opencode.json") == {
        "mcp": {"agent-capabilities": {"type": "local", "command": COMMAND, "enabled": True}}
    }


def test_claude_desktop_and_cursor_get_their_files() -> None:
    expected = {"mcpServers": {"agent-capabilities": {"command": COMMAND[0], "args": ["serve"]}}}
    assert content(snippet("claude-desktop", COMMAND), "claude_desktop_config.json") == expected
    assert content(snippet("cursor", COMMAND), "~/.cursor/mcp.json") == expected


@pytest.mark.parametrize(
    ("host", "keys", "references"),
    [
        ("copilot-cli", ("mcpServers", "agent-capabilities", "env"), {"A": "${A}", "B": "${B}"}),
        ("cursor", ("mcpServers", "agent-capabilities", "env"), {"A": "${env:A}", "B": "${env:B}"}),
        ("vscode-copilot", ("servers", "agent-capabilities", "env"), {"A": "${env:A}", "B": "${env:B}"}),
        ("opencode", ("mcp", "agent-capabilities", "environment"), {"A": "{env:A}", "B": "{env:B}"}),
        ("codex-cli", ("mcp_servers", "agent-capabilities", "env_vars"), ["A", "B"]),
    ],
)
def test_variables_are_passed_on_by_reference(host: str, keys: tuple[str, ...], references: object) -> None:
    body = snippet(host, COMMAND, ["A", "B"]).partition("\n")[2]
    value = tomllib.loads(body) if host == "codex-cli" else json.loads(body)
    for key in keys:
        value = value[key]
    assert value == references


def test_commands_pass_references_through_the_shell() -> None:
    claude = shlex.split(snippet("claude-code", COMMAND, ["A", "B"]))
    assert (
        claude == shlex.split("claude mcp add --scope project agent-capabilities -e 'A=${A}' -e 'B=${B}' --") + COMMAND
    )
    gemini = shlex.split(snippet("gemini-cli", COMMAND, ["A", "B"]))
    assert gemini == shlex.split("gemini mcp add -e 'A=$A' -e 'B=$B' agent-capabilities") + COMMAND


def test_claude_desktop_gets_no_variables_as_it_expands_none() -> None:
    assert snippet("claude-desktop", COMMAND, ["A"]) == snippet("claude-desktop", COMMAND)


@pytest.mark.parametrize("host", ALL_HOSTS)
def test_every_host_has_a_snippet_that_starts_the_command(host: str) -> None:
    assert "serve" in snippet(host, COMMAND)


def test_the_command_of_this_installation_is_an_absolute_path() -> None:
    assert Path(own_command()[0]).is_absolute()
