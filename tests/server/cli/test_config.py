import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from server.cli.config import HOSTS, server_command, snippet
from tests.server.cli.commands import Commands

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


@pytest.mark.parametrize("host", HOSTS)
def test_every_host_is_told_to_start_this_installation(run: Commands, host: str) -> None:
    assert run("config", host) == 0
    assert run.out == snippet(host, server_command()) + "\n"


def test_the_command_is_an_absolute_path() -> None:
    assert Path(server_command()[0]).is_absolute()


def test_a_data_folder_is_passed_on_as_an_absolute_path(
    run: Commands, toy_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(toy_data.parent)
    assert run("config", "vscode-copilot", "--data", "data") == 0
    server = content(run.out, ".vscode/mcp.json")["servers"]["agent-capabilities"]
    assert server["args"][-3:] == ["serve", "--data", str(toy_data.resolve())]
