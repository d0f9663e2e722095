"""Hosts' own files, changed and given back."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.cli.serve_options import HOST_NAMES
from server.errors import CallerError
from server.gateway.host_files import BACKUPS, HostFile
from server.gateway.host_snippets import HOSTS, Server, host_entry
from server.gateway.tool_catalog.json_file import data_folder
from server.paths import shipped_data
from tests.server.gateway.hosts.test_edits import FILES, TOML_FILES

COMMENTED = (
    '\ufeff{\r\n\t // theirs\r\n\t"TABLE" : { "git": {"command" :"git", "env": {"KEY": "planted-secret"}}, },\r\n\t}'
)
PLAIN = '{"numStartups": 3,\n   "TABLE":{\n "git" : {"command": "git", "env": {"KEY": "planted-secret"}}}\n\n}\n\n'
CODEX = '# mine\r\nmodel="x"\r\n[mcp_servers.git]\r\ncommand="git"\r\nenv={KEY="planted-secret"}\r\n\r\n# last\r\n'


def theirs(host: str) -> str:
    """Return a user's file with another server, odd indentation, and comments where the host reads them."""
    form = HOSTS[host].format
    text = CODEX if form.is_toml else PLAIN if host.startswith("claude") else COMMENTED
    return text.replace("TABLE", HOSTS[host].table)


def entry(host: str, *arguments: str) -> dict[str, Any]:
    return host_entry(HOSTS[host], Server("gateway", ("run", *arguments)))


def test_what_is_written_is_taken_out_again_byte_for_byte(tmp_path: Path) -> None:
    for host in HOST_NAMES:
        path = tmp_path / host
        path.write_bytes(theirs(host).encode())
        file = HostFile(HOSTS[host], path)
        before = file.servers()
        file.put("gateway", entry(host))
        assert file.servers() == {**before, "gateway": entry(host)}, host
        file.put("agent-capabilities", entry(host))
        file.put("agent-capabilities", entry(host, "--profile", "full"))
        file.take_back("agent-capabilities")
        file.take_back("gateway")
        assert path.read_bytes() == theirs(host).encode(), host


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=FILES | st.sampled_from(["", "\n \n", "{}"]))
def test_any_file_is_given_back_byte_for_byte(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(text.encode())
    file = HostFile(HOSTS["gemini-cli"], path)
    file.put("gateway", entry("gemini-cli"))
    file.put("gateway", entry("gemini-cli", "--read-only"))
    assert file.servers()["gateway"] == entry("gemini-cli", "--read-only")
    file.take_back("gateway")
    assert path.read_bytes() == text.encode()


def test_any_file_of_codex_is_given_back_byte_for_byte(tmp_path: Path) -> None:
    for text in TOML_FILES:
        path = tmp_path / "config.toml"
        path.write_bytes(text.encode())
        file = HostFile(HOSTS["codex-cli"], path)
        file.put("gateway", entry("codex-cli"))
        file.take_back("gateway")
        assert path.read_bytes() == text.encode(), text


def test_a_file_that_was_not_there_is_gone_again(tmp_path: Path) -> None:
    file = HostFile(HOSTS["cursor"], tmp_path / ".cursor/mcp.json")
    assert file.put("gateway", entry("cursor")).backup is None
    assert file.take_back("gateway").after is None
    assert not file.path.exists()
    assert file.take_back("gateway").is_empty


def test_what_was_changed_since_stays_when_the_entry_is_taken_out(tmp_path: Path) -> None:
    for host in HOST_NAMES:
        path = tmp_path / host
        path.write_bytes(theirs(host).encode())
        file = HostFile(HOSTS[host], path)
        file.put("gateway", entry(host))
        text = path.read_bytes().decode()
        path.write_bytes(text.replace('"git"', '"hub"').encode())
        file.take_back("gateway")
        assert path.read_bytes() == theirs(host).replace('"git"', '"hub"').encode(), host


def test_writing_twice_and_a_dry_run_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(PLAIN.encode())
    file = HostFile(HOSTS["cursor"], path)
    assert not file.put("gateway", entry("cursor"), dry_run=True).is_empty
    assert path.read_bytes() == PLAIN.encode()
    assert not file.put("gateway", entry("cursor")).is_empty
    written = path.stat()
    assert file.put("gateway", entry("cursor")).is_empty
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (written.st_ino, written.st_mtime_ns)


def test_a_backup_is_kept_of_each_change_and_old_ones_go(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(PLAIN.encode())
    file = HostFile(HOSTS["cursor"], path)
    first = file.put("gateway", entry("cursor")).backup
    assert first is not None
    assert first.read_bytes() == PLAIN.encode()
    for count in range(BACKUPS + 2):
        file.put("gateway", entry("cursor", str(count)))
    assert len(list(first.parent.iterdir())) == BACKUPS
    if os.name == "posix":
        assert {each.stat().st_mode & 0o77 for each in data_folder().rglob("*")} == {0}


def test_the_difference_shows_no_secrets(tmp_path: Path) -> None:
    for host in HOST_NAMES:
        path = tmp_path / host
        path.write_bytes(theirs(host).encode())
        shown = HostFile(HOSTS[host], path).put("gateway", entry(host)).difference(HOSTS[host])
        assert "planted-secret" not in shown, host
        assert any(line.startswith("+") and "gateway" in line for line in shown.splitlines()), host
    for host, text in [
        ("codex-cli", '[a]\nbearer_token = "planted-secret"'),
        ("cursor", '{\n"apiKey": "planted-secret"}'),
    ]:
        path = tmp_path / host
        path.write_bytes(text.encode())
        shown = HostFile(HOSTS[host], path).put("gateway", entry(host)).difference(HOSTS[host])
        assert "planted-secret" not in shown, host
        assert "[secret]" in shown, host


def test_only_the_changed_lines_are_shown_of_a_large_file(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(json.dumps({"x": list(range(20_000)), "mcpServers": {"a": {}}}, indent=1).encode())
    shown = HostFile(HOSTS["cursor"], path).put("gateway", {"command": "run"}).difference(HOSTS["cursor"])
    assert shown.splitlines() == [
        str(path),
        "@@ line 20004 @@",
        '  "mcpServers": {',
        '-  "a": {}',
        '+  "a": {},',
        '+  "gateway": {',
        '+   "command": "run"',
        "+  }",
        "  }",
    ]


def test_a_file_that_cannot_be_changed_is_left_alone_and_named(tmp_path: Path) -> None:
    cases = [
        ("claude-code", b'{"mcpServers": {} // no\n}', "not JSON, line 1"),
        ("cursor", b'{"mcpServers": {"a": "planted-secret"', "not JSON, line 1"),
        ("cursor", b'{"mcpServers": ["planted-secret"]}', "'mcpServers' is not a table"),
        ("cursor", b"\xff\xfe{}", "UnicodeDecodeError"),
        ("codex-cli", b'key = "planted-secret\n', "TOMLDecodeError"),
        ("codex-cli", b'mcp_servers = { a = { command = "x" } }', "'mcp_servers' is written in a way that cannot"),
    ]
    for host, content, reason in cases:
        path = tmp_path / f"{host}.file"
        path.write_bytes(content)
        with pytest.raises(CallerError) as error:
            HostFile(HOSTS[host], path).put("gateway", entry(host))
        message = str(error.value)
        assert f"{str(path)!r} cannot be changed ({reason}" in message
        assert message.count("; ") == 2
        assert "planted-secret" not in message
        assert path.read_bytes() == content


@pytest.mark.skipif(os.name != "posix", reason="links and modes are POSIX's")
def test_a_link_stays_a_link_and_a_mode_a_mode(tmp_path: Path) -> None:
    path = tmp_path / "dotfiles.json"
    path.write_bytes(PLAIN.encode())
    path.chmod(0o640)
    link = tmp_path / "mcp.json"
    link.symlink_to(path)
    HostFile(HOSTS["cursor"], link).put("gateway", entry("cursor"))
    assert link.is_symlink()
    assert b"gateway" in path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o640


WRITER = """
import sys
from pathlib import Path
from server.gateway.host_files import HostFile
from server.gateway.host_snippets import HOSTS
file = HostFile(HOSTS["cursor"], Path(sys.argv[1]))
for count in range(10):
    file.put(f"{sys.argv[2]}{count}", {"command": "run"})
"""


@pytest.mark.processes
def test_two_processes_at_once_lose_no_entry(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(PLAIN.replace("TABLE", "mcpServers").encode())
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), name], cwd=shipped_data().parent)
        for name in ("a", "b")
    ]
    assert [process.wait(60) for process in running] == [0, 0]
    expected = {"git", *(f"{name}{count}" for name in "ab" for count in range(10))}
    assert set(HostFile(HOSTS["cursor"], path).servers()) == expected
