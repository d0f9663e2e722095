"""`gateway --print-config`."""

import json
from pathlib import Path
from typing import Any

import pytest

from server.cli.serve_options import HOST_NAMES
from server.gateway.host_snippets import own_command
from tests.server.cli.commands import Commands
from tests.server.gateway.configuration.reading import read, written


def servers(**references: str) -> dict[str, Any]:
    return {"mcpServers": {"desk": {"command": "run", "env": references}}}


def test_the_gateway_is_started_over_the_files_whatever_the_working_folder(home: Path, run: Commands) -> None:
    for name in ("a.json", "b.json"):
        written(home / name, servers())
    assert run("gateway", "--config", "a.json", "--config", str(home / "b.json"), "--print-config", "cursor") == 0
    entry = json.loads(run.out)["mcpServers"]["gateway"]
    files = ["--config", str(home / "a.json"), "--config", str(home / "b.json")]
    assert [entry["command"], *entry["args"]] == [*own_command(), "gateway", *files]


def test_variables_of_the_servers_are_named_and_their_values_are_not(
    home: Path, run: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "planted-secret")
    path = written(home / "a.json", servers(X="${API_KEY}"))
    for host in HOST_NAMES:
        assert run("gateway", "--config", str(path), "--print-config", host) == 0, host
        assert "API_KEY" in run.out + run.err, host
        assert "planted-secret" not in run.out + run.err, host


def test_what_is_printed_is_left_out_when_the_gateway_reads_it(home: Path, run: Commands) -> None:
    run("gateway", "--config", str(written(home / "a.json", servers(X="${A}"))), "--print-config", "cursor")
    configuration = read(written(home / "mcp.json", run.out))
    assert (configuration.upstreams, configuration.reports) == ((), ())


def test_the_file_whose_place_the_gateway_takes_is_never_read(home: Path, run: Commands) -> None:
    own = written(home / ".cursor/mcp.json", servers())
    for arguments in ((), ("--config", str(own)), ("--config", ".cursor/mcp.json")):
        assert run("gateway", *arguments, "--print-config", "cursor") == 2, arguments
        assert run.out == ""
        assert "is the file of Cursor itself; the gateway takes the place of the servers in it" in run.err
        assert "gateway adopt cursor" in run.err
    other = written(home / ".copilot/mcp-config.json", servers())
    assert run("gateway", "--print-config", "cursor") == 0
    assert json.loads(run.out)["mcpServers"]["gateway"]["args"][-2:] == ["--config", str(other)]


def test_a_gateway_over_http_is_printed_as_its_address_and_its_start_is_told(home: Path, run: Commands) -> None:
    path = written(home / "a.json", servers())
    options = ("--config", str(path), "--transport", "http", "--host", "0.0.0.0", "--port", "9")
    assert run("gateway", *options, "--token-env", "T", "--print-config", "cursor") == 0
    assert json.loads(run.out)["mcpServers"]["gateway"] == {
        "url": "http://127.0.0.1:9/mcp",
        "headers": {"Authorization": "Bearer ${env:T}"},
    }
    assert run.err.splitlines()[-1].endswith(f"gateway --config {path} --host 0.0.0.0 --port 9 --transport http")
    assert run("gateway", "--config", str(path), "--url", "http://a.example", "--print-config", "cursor") == 2
    assert "--url was given without --transport http" in run.err
