"""`config HOST --write` and `--remove`."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from server.cli.serve_options import HOST_NAMES
from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.host_files import HostFile
from server.gateway.host_snippets import HOSTS, own_command
from server.gateway.listing import Listed
from tests.server.cli.commands import Commands
from tests.server.gateway.configuration.reading import written
from tests.server.gateway.made_config import TOOLS, listed

OTHER = {"mcpServers": {"git": {"command": "git"}}}


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[UpstreamConfig]:
    """Servers that were to be started; each has two tools."""
    configs: list[UpstreamConfig] = []

    async def note(given: Sequence[UpstreamConfig]) -> Listed:
        configs.extend(given)
        return listed({config.name: TOOLS["files"] for config in given})

    monkeypatch.setattr("server.gateway.listing.listed_tools", note)
    return configs


def test_the_entry_is_written_into_each_hosts_own_file_and_started_as_the_host_would(
    home: Path, run: Commands, started: list[UpstreamConfig]
) -> None:
    for host in HOST_NAMES:
        assert run("config", host, "--write", "--profile", "full") == 0, host
        path = HOSTS[host].file()
        assert path.is_relative_to(home)
        assert str(path) in run.out
        assert run.out.endswith("would start it; tools: read_file, delete_file\n")
        assert "+" in run.err
        config = started[-1]
        assert [config.command, *config.args] == [*own_command(), "serve", "--profile", "full"], host
        assert config.cwd == home
        assert list(HostFile(HOSTS[host], path).servers()) == ["agent-capabilities"], host
        assert run("config", host, "--remove") == 0, host
        assert not path.exists(), host


def test_the_project_has_a_file_of_its_own(home: Path, run: Commands, started: list[UpstreamConfig]) -> None:
    for host in HOST_NAMES:
        if host == "claude-desktop":
            assert run("config", host, "--write", "--scope", "project") == 2
            assert "Claude Desktop has servers of the user only; leave out --scope" in run.err
            continue
        path = home / str(HOSTS[host].project)
        assert run("config", host, "--write", "--scope", "project") == 0, host
        assert path.is_file(), host
        assert run("config", host, "--remove", "--scope", "project") == 0, host
        assert not path.exists(), host


def test_a_dry_run_only_shows_the_difference(home: Path, run: Commands, started: list[UpstreamConfig]) -> None:
    path = written(home / ".cursor/mcp.json", OTHER)
    for action in ("--write", "--remove"):
        before = path.read_bytes()
        assert run("config", "cursor", action, "--dry-run") == 0
        assert path.read_bytes() == before
        assert run.out == f"{path}: {'would be changed' if action == '--write' else 'nothing to change'}\n"
    assert started == []


def test_an_address_is_reached_as_the_host_would(
    home: Path, run: Commands, started: list[UpstreamConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "planted-secret")
    arguments = ("--write", "--transport", "http", "--url", "https://a.example/mcp", "--token-env", "KEY")
    assert run("config", "cursor", *arguments) == 0
    (config,) = started
    assert (config.transport, config.url) == ("http", "https://a.example/mcp")
    assert config.headers == {"Authorization": "Bearer planted-secret"}
    assert "planted-secret" not in run.out + run.err


def test_a_server_that_the_host_does_not_start_is_a_mistake(
    home: Path, run: Commands, started: list[UpstreamConfig]
) -> None:
    path = written(home / ".gemini/settings.json", {**OTHER, "mcp": {"allowed": ["git"]}})
    before = path.read_bytes()
    assert run("config", "gemini-cli", "--write") == 2
    assert path.read_bytes() == before
    assert "would not be started by Gemini CLI; 'mcp.allowed' and 'mcp.excluded' of the file choose" in run.err


def test_a_server_that_does_not_start_is_a_fault(home: Path, run: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(given: Sequence[UpstreamConfig]) -> Listed:
        return listed({config.name: None for config in given}, ["server 'x' is failed (why); a; b"])

    monkeypatch.setattr("server.gateway.listing.listed_tools", fail)
    assert run("config", "cursor", "--write") == 1
    assert run.err.endswith("error: server 'x' is failed (why); a; b\n")


def test_options_of_writing_need_it(home: Path, run: Commands) -> None:
    for arguments in (("--dry-run",), ("--scope", "project")):
        assert run("config", "cursor", *arguments) == 2
        assert f"{arguments[0]} was given without --write or --remove; " in run.err
    written(home / ".cursor/mcp.json", "{")
    assert run("config", "cursor", "--write") == 2
    assert "cannot be changed (not JSON, line 1)" in run.err


@pytest.mark.processes
def test_what_is_written_starts(home: Path, run: Commands) -> None:
    path = written(home / ".cursor/mcp.json", OTHER)
    assert run("config", "cursor", "--write") == 0
    assert "tools: lookup_capability, compare_capability, list_capabilities, get_sources" in run.out
    assert run("config", "cursor", "--write", "--data", "missing") == 1
    assert run.err.splitlines()[-1].startswith("error: server 'agent-capabilities of Cursor' is ")
    assert run("config", "cursor", "--remove") == 0
    assert json.loads(path.read_text(encoding="utf-8")) == OTHER
