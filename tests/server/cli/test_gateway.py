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


@pytest.mark.parametrize("action_first", [True, False])
def test_files_stand_before_or_after_an_action(action_first: bool, configured: str, run: Commands) -> None:
    action, files = ["login", "nosuch"], ["--config", configured]
    assert run("gateway", *(action + files if action_first else files + action)) == 2
    assert "unknown server 'nosuch'; known: files" in run.err


def test_only_servers_with_a_url_can_be_signed_in_to(configured: str, run: Commands) -> None:
    assert run("gateway", "login", "files", "--config", configured) == 2
    assert "server 'files' is a local command" in run.err


def test_several_workers_are_refused(configured: str, run: Commands) -> None:
    assert run("gateway", "--config", configured, "--transport", "http", "--workers", "2") == 2
    assert "--workers 2 was given" in run.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "cannot be read (JSONDecodeError"),
        ("[]", "does not hold a table"),
        ('{"mcpServers": {}}', "no server is left in"),
    ],
)
def test_a_configuration_without_servers_is_refused(content: str, message: str, tmp_path: Path, run: Commands) -> None:
    path = tmp_path / "servers.json"
    path.write_text(content, encoding="utf-8")
    assert run("gateway", "--config", str(path)) == 2
    assert message in run.err


def test_a_missing_configuration_is_refused(tmp_path: Path, run: Commands) -> None:
    assert run("gateway", "--config", str(tmp_path / "none.json")) == 2
    assert "cannot be read (No such file or directory)" in run.err


def test_a_server_that_is_not_configured_cannot_be_shared(configured: str, run: Commands) -> None:
    assert run("gateway", "--config", configured, "--share", "nosuch") == 2
    assert "unknown server 'nosuch'; known: files" in run.err
