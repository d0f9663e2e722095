import json
import shlex
import tomllib
from pathlib import Path
from typing import Any

from server.gateway.host_snippets import ALL_HOSTS, own_command, snippet

COMMAND = ["/opt/my tools/agent-capabilities", "serve"]


def content(text: str, path: str) -> dict[str, Any]:
    head, _, body = text.partition("\n")
    assert head == f"# {path}"
    value: dict[str, Any] = json.loads(body)
    return value


def test_command_lines_are_such_as_a_shell_reads_rightly() -> None:
    expected = "claude mcp add agent-capabilities -- '/opt/my tools/agent-capabilities' serve"
    assert snippet("claude-code", COMMAND) == expected
    assert (
        snippet("gemini-cli", COMMAND) == "gemini mcp add agent-capabilities '/opt/my tools/agent-capabilities' serve"
    )


def test_hosts_get_their_files() -> None:
    assert content(snippet("copilot-cli", COMMAND), "~/.copilot/mcp-config.json") == {
        "mcpServers": {
            "agent-capabilities": {"type": "local", "command": COMMAND[0], "args": ["serve"], "tools": ["*"]}
        }
    }
    assert content(snippet("vscode-copilot", COMMAND), ".vscode/mcp.json") == {
        "servers": {"agent-capabilities": {"type": "stdio", "command": COMMAND[0], "args": ["serve"]}}
    }
    assert content(snippet("opencode", COMMAND), "~/.config/opencode/opencode.json") == {
        "mcp": {"agent-capabilities": {"type": "local", "command": COMMAND, "enabled": True}}
    }
    expected = {"mcpServers": {"agent-capabilities": {"command": COMMAND[0], "args": ["serve"]}}}
    assert content(snippet("claude-desktop", COMMAND), "claude_desktop_config.json") == expected
    assert content(snippet("cursor", COMMAND), "~/.cursor/mcp.json") == expected


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


def test_variables_are_passed_on_by_reference() -> None:
    cases: list[tuple[str, tuple[str, ...], object]] = [
        ("copilot-cli", ("mcpServers", "agent-capabilities", "env"), {"A": "${A}", "B": "${B}"}),
        ("cursor", ("mcpServers", "agent-capabilities", "env"), {"A": "${env:A}", "B": "${env:B}"}),
        ("vscode-copilot", ("servers", "agent-capabilities", "env"), {"A": "${env:A}", "B": "${env:B}"}),
        ("opencode", ("mcp", "agent-capabilities", "environment"), {"A": "{env:A}", "B": "{env:B}"}),
        ("codex-cli", ("mcp_servers", "agent-capabilities", "env_vars"), ["A", "B"]),
    ]
    for host, keys, references in cases:
        body = snippet(host, COMMAND, ["A", "B"]).partition("\n")[2]
        value = tomllib.loads(body) if host == "codex-cli" else json.loads(body)
        for key in keys:
            value = value[key]
        assert value == references, host


def test_references_are_passed_unless_the_host_expands_none() -> None:
    claude = shlex.split(snippet("claude-code", COMMAND, ["A", "B"]))
    assert (
        claude == shlex.split("claude mcp add --scope project agent-capabilities -e 'A=${A}' -e 'B=${B}' --") + COMMAND
    )
    gemini = shlex.split(snippet("gemini-cli", COMMAND, ["A", "B"]))
    assert gemini == shlex.split("gemini mcp add -e 'A=$A' -e 'B=$B' agent-capabilities") + COMMAND
    assert snippet("claude-desktop", COMMAND, ["A"]) == snippet("claude-desktop", COMMAND)


def test_every_host_has_a_snippet_with_the_command_of_this_installation() -> None:
    for host in ALL_HOSTS:
        assert "serve" in snippet(host, COMMAND), host
    assert Path(own_command()[0]).is_absolute()
