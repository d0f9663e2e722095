"""`gateway adopt HOST` and `--undo`."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from server.cli.gateway_hosts import _back, _moved, adopted_file
from server.cli.serve_options import HOST_NAMES
from server.gateway.configuration.configurations import read_configurations
from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.host_files import HostFile
from server.gateway.host_snippets import HOSTS, own_command
from server.gateway.listing import Listed
from server.gateway.tool_catalog.cached_lists import CachedLists
from tests.server.cli.commands import Commands
from tests.server.gateway.configuration.reading import written
from tests.server.gateway.hosts.test_edits import FILES
from tests.server.gateway.hosts.test_host_files import theirs
from tests.server.gateway.made_config import TOOLS, listed, started_config


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the servers that were started; each has two tools."""
    names: list[str] = []

    async def note(given: Sequence[UpstreamConfig]) -> Listed:
        names.extend(config.name for config in given)
        return listed({config.name: TOOLS["files"] for config in given})

    for module in ("server.gateway.listing", "server.cli.gateway_hosts"):
        monkeypatch.setattr(f"{module}.listed_tools", note)
    return names


def own_file(host: str) -> HostFile:
    file = HostFile(HOSTS[host], HOSTS[host].file())
    file.path.parent.mkdir(parents=True, exist_ok=True)
    return file


def command(host: str, entry: dict[str, Any]) -> list[str]:
    found: list[str] = entry["command"] if host == "opencode" else [entry["command"], *entry["args"]]
    return found


def test_a_hosts_servers_move_behind_the_gateway_and_back_byte_for_byte(
    home: Path, run: Commands, started: list[str]
) -> None:
    for host in HOST_NAMES:
        file = own_file(host)
        file.path.write_bytes(theirs(host).encode())
        started.clear()
        assert run("gateway", "--read-only", "adopt", host) == 0, (host, run.err)
        ((name, entry),) = file.servers().items()
        own = adopted_file(HOSTS[host])
        expected = [*own_command(), "gateway", "--config", str(own), "--read-only"]
        assert (name, command(host, entry)) == ("gateway", expected), host
        (upstream,) = read_configurations([own]).upstreams
        assert (upstream.name, upstream.cwd) == ("git", None), host
        assert started == ["git", f"gateway of {HOSTS[host].title}"], host
        assert CachedLists().find(upstream) is not None, host
        assert "planted-secret" not in run.out + run.err, host
        assert run("gateway", "adopt", host, "--undo") == 0, host
        assert file.path.read_bytes() == theirs(host).encode(), host
        assert not own.exists(), host


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=FILES)
def test_any_servers_move_and_come_back(tmp_path: Path, text: str) -> None:
    host = HOSTS["gemini-cli"]
    servers = host.format.servers(text, host.table)
    path = tmp_path / "settings.json"
    path.write_bytes(text.encode())
    file = HostFile(host, path)
    entry = {"command": "agent-capabilities", "args": ["gateway"]}
    back = partial(_back, host, servers)
    file.edit("gateway", partial(_moved, host, servers, entry), back)
    assert file.servers() == {"gateway": entry}
    assert host.format.servers(back(path.read_bytes().decode()), host.table) == servers
    file.take_back("gateway", back)
    assert path.read_bytes() == text.encode()


def test_servers_that_were_added_since_move_too_and_all_come_back(
    home: Path, run: Commands, started: list[str]
) -> None:
    for host in ("cursor", "codex-cli"):
        file = own_file(host)
        file.path.write_bytes(theirs(host).encode())
        before = file.servers()
        run("gateway", "adopt", host)
        file.put("later", {"command": "later"})
        assert run("gateway", "adopt", host) == 0, host
        assert list(file.servers()) == ["gateway"], host
        names = [each.name for each in read_configurations([adopted_file(HOSTS[host])]).upstreams]
        assert names == ["git", "later"], host
        file.path.write_bytes(file.path.read_bytes().replace(b"theirs", b"ours").replace(b"mine", b"ours"))
        assert run("gateway", "adopt", host, "--undo") == 0, host
        assert file.servers() == {**before, "later": {"command": "later"}}, host
        assert b"ours" in file.path.read_bytes(), host


def test_adopting_again_changes_nothing_but_the_gateways_options(home: Path, run: Commands, started: list[str]) -> None:
    file = own_file("cursor")
    file.path.write_bytes(theirs("cursor").encode())
    run("gateway", "adopt", "cursor")
    before = file.path.read_bytes()
    assert run("gateway", "adopt", "cursor") == 0
    assert file.path.read_bytes() == before
    assert run("gateway", "--pin", "x", "adopt", "cursor") == 0
    assert file.servers()["gateway"]["args"][-2:] == ["--pin", "x"]
    assert run("gateway", "adopt", "cursor", "--undo") == 0
    assert file.path.read_bytes() == theirs("cursor").encode()


def test_moved_servers_are_read_as_their_host_reads_them(home: Path, run: Commands, started: list[str]) -> None:
    secret = written(home / ".config/opencode/key", "planted-secret")
    entry = {"type": "local", "command": ["run"], "environment": {"KEY": "{file:./key}", "X": "${X}"}}
    written(secret.parent / "opencode.json", {"mcp": {"one": entry}})
    assert run("gateway", "adopt", "opencode") == 0
    (upstream,) = read_configurations([adopted_file(HOSTS["opencode"])]).upstreams
    assert upstream.env == {"KEY": "planted-secret", "X": "${X}"}


def test_a_dry_run_moves_nothing(home: Path, run: Commands, started: list[str]) -> None:
    file = own_file("cursor")
    file.path.write_bytes(theirs("cursor").encode())
    assert run("gateway", "adopt", "cursor", "--dry-run") == 0
    assert '+\t\t"gateway": {' in run.err
    assert file.path.read_bytes() == theirs("cursor").encode()
    assert not adopted_file(HOSTS["cursor"]).exists()
    assert started == []


def test_what_cannot_be_moved_is_refused_and_left_alone(home: Path, run: Commands, started: list[str]) -> None:
    cases = [
        ("{}", "has no servers; the gateway takes the place of some; "),
        ("{", "cannot be changed (not JSON, line 1); "),
        ('{"mcpServers": {"a": "x"}}', "it must be a table; "),
    ]
    for content, message in cases:
        path = written(home / ".cursor/mcp.json", content)
        assert run("gateway", "adopt", "cursor") == 2, content
        assert message in run.err, content
        assert path.read_text(encoding="utf-8") == content
        assert not adopted_file(HOSTS["cursor"]).exists(), content
    path = written(home / ".codex/config.toml", 'mcp_servers = { a = { command = "x" } }')
    assert run("gateway", "adopt", "codex-cli") == 2
    assert "'mcp_servers' is written in a way that cannot be edited" in run.err
    assert not adopted_file(HOSTS["codex-cli"]).exists()
    assert run("gateway", "adopt", "cursor", "--undo") == 2
    assert "no servers of Cursor are behind the gateway; " in run.err
    assert run("gateway", "--transport", "http", "adopt", "cursor") == 2
    assert "--transport http was given with adopt; " in run.err


@pytest.mark.processes
def test_the_moved_servers_are_behind_the_gateway_that_the_host_starts(home: Path, run: Commands) -> None:
    written(home / ".cursor/mcp.json", started_config(home).read_text(encoding="utf-8"))
    assert run("gateway", "adopt", "cursor") == 0
    assert "tools: search_tools, call_tool, capabilities" in run.out
    for upstream in read_configurations([adopted_file(HOSTS["cursor"])]).upstreams:
        tools = CachedLists().find(upstream)
        assert tools is not None
        assert [tool.name for tool in tools] == list(TOOLS[upstream.name])
