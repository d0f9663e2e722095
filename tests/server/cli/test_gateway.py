"""`gateway`: its actions and options."""

import json
from pathlib import Path

import pytest

from tests.server.cli.commands import Commands


@pytest.fixture
def configured(tmp_path: Path) -> str:
    path = tmp_path / ".mcp.json"
    path.write_text(json.dumps({"mcpServers": {"files": {"command": "files-server"}}}), encoding="utf-8")
    return str(path)


def test_files_stand_before_or_after_an_action(configured: str, run: Commands) -> None:
    for action_first in [True, False]:
        action, files = ["login", "nosuch"], ["--config", configured]
        assert run("gateway", *(action + files if action_first else files + action)) == 2, action_first
        assert "unknown server 'nosuch'; known: files" in run.err, action_first


def test_what_a_gateway_cannot_do_is_refused(configured: str, run: Commands, tmp_path: Path) -> None:
    assert run("gateway", "login", "files", "--config", configured) == 2
    assert "server 'files' is a local command" in run.err
    assert run("gateway", "--config", configured, "--transport", "http", "--workers", "2") == 2
    assert "--workers 2 was given" in run.err
    assert run("gateway", "--config", str(tmp_path / "none.json")) == 2
    assert "cannot be read (No such file or directory)" in run.err
    assert run("gateway", "--config", configured, "--share", "nosuch") == 2
    assert "unknown server 'nosuch'; known: files" in run.err
    assert run("gateway", "--config", configured, "--skills", str(tmp_path), "--no-resources") == 2
    assert "--skills was given with --no-resources" in run.err
    assert run("gateway", "--config", configured, "--skills", str(tmp_path)) == 2
    assert "has no skills" in run.err


def test_a_configuration_without_servers_is_refused(tmp_path: Path, run: Commands) -> None:
    cases = [
        ("{", "cannot be read (JSONDecodeError"),
        ("[]", "does not hold a table"),
        ('{"mcpServers": {}}', "no server is left in"),
    ]
    for content, message in cases:
        path = tmp_path / "servers.json"
        path.write_text(content, encoding="utf-8")
        assert run("gateway", "--config", str(path)) == 2, content
        assert message in run.err, content
