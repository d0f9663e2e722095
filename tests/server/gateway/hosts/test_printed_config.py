import json
from pathlib import Path
from typing import Any

import pytest

from server.errors import CallerError
from server.gateway.host_snippets import ALL_HOSTS, own_command, printed_config
from tests.server.gateway.configuration.reading import read, written


def entry(text: str) -> dict[str, Any]:
    (server,) = json.loads(text.partition("\n")[2])["mcpServers"].values()
    assert isinstance(server, dict)
    return server


def test_the_gateway_is_started_over_the_files_whatever_the_working_folder(tmp_path: Path) -> None:
    server = entry(
        printed_config("cursor", [Path("a.json"), tmp_path / "b.json"], cwd=tmp_path, options=["--pin", "x"])
    )
    files = ["--config", str(tmp_path / "a.json"), "--config", str(tmp_path / "b.json")]
    assert [server["command"], *server["args"]] == [*own_command(), "gateway", *files, "--pin", "x"]


def test_variables_of_the_servers_are_named_and_their_values_are_not(tmp_path: Path) -> None:
    for host in ALL_HOSTS:
        path = written(tmp_path / "a.json", {"mcpServers": {"a": {"command": "run", "env": {"X": "${API_KEY}"}}}})
        configuration = read(path, API_KEY="planted-secret")
        printed = printed_config(host, [path], configuration.variables, cwd=tmp_path)
        assert "API_KEY" in printed, host
        assert "planted-secret" not in printed, host


def test_what_is_printed_is_left_out_when_the_gateway_reads_it(tmp_path: Path) -> None:
    printed = printed_config("cursor", [tmp_path / "a.json"], ["API_KEY"], cwd=tmp_path)
    configuration = read(written(tmp_path / "mcp.json", printed.partition("\n")[2]))
    assert (configuration.upstreams, configuration.reports) == ((), ())


def test_the_user_is_told_what_is_to_be_done_first(tmp_path: Path) -> None:
    printed = printed_config("vscode-copilot", [tmp_path / ".vscode/mcp.json"], cwd=tmp_path)
    assert printed.startswith(f"# this goes in the place of {tmp_path / '.vscode/mcp.json'}: rename that file first")
    assert "rename" not in printed_config("vscode-copilot", [tmp_path / ".mcp.json"], cwd=tmp_path)
    printed = printed_config("claude-desktop", [tmp_path / "a.json"], ["A", "B"], cwd=tmp_path)
    assert printed.startswith("# Claude Desktop expands no references: set A, B where it is started\n")


def test_an_unknown_host_is_refused_with_the_known_ones() -> None:
    with pytest.raises(CallerError, match=r"unknown host 'cursr'; known: .*; did you mean 'cursor'\? choose one"):
        printed_config("cursr", [])
