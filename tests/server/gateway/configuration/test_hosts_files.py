"""Each host's file, as the host documents it."""

from pathlib import Path

import pytest

from tests.server.gateway.configuration.reading import left_out, one, read, read_one, written


def test_a_program_of_mcp_json_is_read(tmp_path: Path) -> None:
    upstream = one(
        tmp_path, {"command": "npx", "args": ["-y", "server", 3], "env": {"PORT": 80, "ON": True, "NO": None}}
    )
    assert (upstream.name, upstream.transport, upstream.command) == ("one", "stdio", "npx")
    assert upstream.args == ("-y", "server", "3")
    assert upstream.env == {"PORT": "80", "ON": "true"}
    assert upstream.source == tmp_path / "one.json"
    assert upstream.timeout == 60


def test_a_remote_server_of_mcp_json_is_read(tmp_path: Path) -> None:
    upstream = one(tmp_path, {"type": "http", "url": "https://a.example/mcp", "headers": {"X-Team": "red"}})
    assert (upstream.transport, upstream.url, upstream.headers) == ("http", "https://a.example/mcp", {"X-Team": "red"})
    assert upstream.command is None


def test_the_transport_follows_from_the_type_or_the_keys(tmp_path: Path) -> None:
    cases: list[tuple[dict[str, object], str]] = [
        ({"command": "a"}, "stdio"),
        ({"type": "local", "command": "a"}, "stdio"),
        ({"url": "https://a.example/mcp"}, "http"),
        ({"url": "https://a.example/sse?x=1"}, "sse"),
        ({"type": "http", "url": "https://a.example/sse"}, "http"),
        ({"type": "sse", "url": "https://a.example/mcp"}, "sse"),
        ({"type": "streamable-http", "url": "https://a.example/mcp"}, "http"),
        ({"type": "streamableHttp", "url": "https://a.example/mcp"}, "http"),
        ({"transport": "sse", "url": "https://a.example/mcp"}, "sse"),
        ({"serverUrl": "https://a.example/mcp"}, "http"),
        ({"httpUrl": "https://a.example/sse"}, "sse"),
        ({"command": "a", "url": "https://a.example/mcp"}, "stdio"),
    ]
    for entry, transport in cases:
        assert one(tmp_path, entry).transport == transport, entry


def test_an_entry_that_cannot_be_started_is_reported(tmp_path: Path) -> None:
    assert "has the transport 'ws'; transports are" in left_out(tmp_path, {"type": "ws", "url": "wss://a.example"})
    cases: list[dict[str, object]] = [{}, {"type": "stdio"}, {"type": "http", "command": "a"}, {"command": []}]
    for entry in cases:
        assert "names neither program nor address" in left_out(tmp_path, entry), entry
    assert "which cannot be read (No such file" in left_out(tmp_path, {"command": "a", "envFile": ".env"})


def test_gemini_clis_limits_and_tools_are_read(tmp_path: Path) -> None:
    entry = {
        "httpUrl": "https://a.example/mcp",
        "timeout": 30000,
        "trust": True,
        "includeTools": ["read", "write(path)"],
        "excludeTools": ["drop"],
    }
    upstream = one(tmp_path, entry, ".gemini/settings.json")
    assert (upstream.transport, upstream.timeout) == ("http", 30)
    assert (upstream.include, upstream.exclude) == (("read", "write"), ("drop",))


def test_gemini_clis_lists_of_servers_are_followed(tmp_path: Path) -> None:
    servers = {name: {"command": name} for name in ("a", "b", "c")}
    content = {"mcpServers": servers, "mcp": {"allowed": ["a", "b"], "excluded": ["b"]}}
    configuration = read(written(tmp_path / ".gemini/settings.json", content))
    assert [each.name for each in configuration.upstreams] == ["a"]
    assert len(configuration.notes) == 2
    configuration = read(written(tmp_path / ".gemini/settings.json", {"mcp": {"allowed": ["a"]}}))
    assert configuration.upstreams == ()


def test_copilot_clis_tools_are_read(tmp_path: Path) -> None:
    cases: list[tuple[object, tuple[str, ...], tuple[str, ...]]] = [
        (["*"], (), ()),
        (["a"], ("a",), ()),
        ([], (), ("*",)),
        ({"a": {}}, (), ()),
    ]
    for tools, include, exclude in cases:
        upstream = one(tmp_path, {"type": "local", "command": "a", "tools": tools}, ".copilot/mcp-config.json")
        assert (upstream.include, upstream.exclude) == (include, exclude), tools


def test_windsurfs_disabled_tools_are_read(tmp_path: Path) -> None:
    assert one(tmp_path, {"command": "a", "disabledTools": ["x"]}).exclude == ("x",)


def test_servers_of_claude_codes_project_are_read_with_the_users(tmp_path: Path) -> None:
    content = {
        "mcpServers": {"shared": {"command": "old"}, "mine": {"command": "m"}},
        "projects": {
            tmp_path.as_posix(): {"mcpServers": {"shared": {"command": "new"}}},
            "/elsewhere": {"mcpServers": {"other": {"command": "o"}}},
        },
    }
    configuration = read(written(tmp_path / ".claude.json", content))
    assert {each.name: each.command for each in configuration.upstreams} == {"shared": "new", "mine": "m"}


def test_a_program_runs_in_the_folder_where_its_host_runs_it(tmp_path: Path) -> None:
    content = {"servers": {"one": {"type": "stdio", "command": "${workspaceFolder}${/}run", "args": ["${userHome}"]}}}
    upstream = read_one(written(tmp_path / ".vscode/mcp.json", content), cwd=Path("/"))
    assert upstream.command == str(tmp_path / "run")
    assert upstream.args == (str(Path.home()),)
    assert upstream.cwd == tmp_path


def test_paths_start_from_the_folder_of_their_file_whatever_the_working_folder(tmp_path: Path) -> None:
    entry: dict[str, object] = {"command": ".venv/bin/run", "args": ["x.py"], "envFile": "keys.env"}
    written(tmp_path / "keys.env", "A=1")
    content = {"mcpServers": {"one": entry}}
    upstream = read_one(written(tmp_path / "servers.json", content), cwd=Path("/"))
    assert (upstream.cwd, upstream.env) == (tmp_path, {"A": "1"})
    assert upstream.command == str(tmp_path / ".venv/bin/run")
    upstream = read_one(written(tmp_path / "servers.json", {"mcpServers": {"one": {**entry, "cwd": "sub"}}}))
    assert (upstream.cwd, upstream.command) == (tmp_path / "sub", str(tmp_path / "sub/.venv/bin/run"))
    assert one(tmp_path, {"command": "npx"}).command == "npx"


def test_a_users_server_runs_where_its_host_runs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    path = written(tmp_path / ".cursor/mcp.json", {"mcpServers": {"one": {"command": "./a"}}})
    upstream = read_one(path, cwd=tmp_path / "project")
    assert (upstream.cwd, upstream.command) == (None, "./a")


def test_variables_of_an_env_file_are_added_and_those_of_env_win(tmp_path: Path) -> None:
    lines = ["# keys", "export A=1 # one", "B='two # 2'", 'C="a\\nb"', "D=", "not a line", "E=x#y"]
    written(tmp_path / ".env", "\n".join(lines))
    entry = {"command": "a", "envFile": "${workspaceFolder}/.env", "env": {"A": "own"}}
    upstream = one(tmp_path, entry)
    assert upstream.env == {"A": "own", "B": "two # 2", "C": "a\nb", "D": "", "E": "x#y"}


CODEX = """
model = "x"
[mcp_servers.local]
command = "run"
args = ["${HOME}"]
env = { LEVEL = "info" }
env_vars = ["PASSED", { name = "NAMED", source = "local" }, "UNSET"]
startup_timeout_sec = 20
tool_timeout_sec = 90.5
enabled_tools = ["a"]
disabled_tools = ["b"]
[mcp_servers.local.tools.a]
approval_mode = "approve"
[mcp_servers.remote]
url = "https://a.example/mcp"
bearer_token_env_var = "TOKEN"
http_headers = { "X-A" = "1" }
env_http_headers = { "X-B" = "SECOND" }
[mcp_servers.off]
command = "off"
enabled = false
"""


def test_codexs_servers_are_read(tmp_path: Path) -> None:
    path = written(tmp_path / "config.toml", CODEX)
    configuration = read(path, PASSED="p", NAMED="n", TOKEN="t0ken-value", SECOND="2")
    local, remote = configuration.upstreams
    assert local.args == ("${HOME}",)  # Codex expands nothing.
    assert local.env == {"LEVEL": "info", "PASSED": "p", "NAMED": "n"}
    assert (local.timeout, local.startup_timeout) == (90.5, 20)
    assert (local.include, local.exclude) == (("a",), ("b",))
    assert remote.headers == {"X-A": "1", "X-B": "2", "Authorization": "Bearer t0ken-value"}
    assert "t0ken-value" in remote.secrets
    assert [note.partition(";")[0].partition(" of ")[0] for note in configuration.notes] == ["server 'off'"]
    assert configuration.variables == ("NAMED", "PASSED", "SECOND", "TOKEN", "UNSET")


def test_codexs_server_without_its_token_is_reported(tmp_path: Path) -> None:
    configuration = read(written(tmp_path / "config.toml", CODEX), SECOND="2")
    assert [each.name for each in configuration.upstreams] == ["local"]
    (report,) = configuration.reports
    assert "needs the environment variable 'TOKEN', which is not set; the server is left out; set it" in report


OPENCODE = """{
  // comments, and "quotes in them"
  "mcp": {
    "here": {
      "type": "local", "command": ["bun", "x", "server"], "enabled": true, "timeout": 5000,
      "environment": {"A": "{env:A}", "URL": "http://x//y", "LITERAL": "${A}"},
    },
    /* of several
       lines */
    "there": {"type": "remote", "url": "https://a.example/mcp", "headers": {"Authorization": "Bearer {file:key}"},},
    "off": {"type": "local", "command": ["off"], "enabled": false},
  },
}
"""


def test_opencodes_servers_are_read(tmp_path: Path) -> None:
    written(tmp_path / "key", "from-a-file\n")
    configuration = read(written(tmp_path / "opencode.jsonc", OPENCODE), A="1")
    here, there = configuration.upstreams
    assert (here.command, here.args) == ("bun", ("x", "server"))
    assert here.env == {"A": "1", "URL": "http://x//y", "LITERAL": "${A}"}
    assert here.timeout == 60  # OpenCode's limit is one of listing tools.
    assert (there.transport, there.headers) == ("http", {"Authorization": "Bearer from-a-file"})
    assert "from-a-file" in there.secrets
    assert len(configuration.notes) == 1


def test_servers_below_the_key_mcp_are_read(tmp_path: Path) -> None:
    servers = {"a": {"type": "local", "command": ["a"]}, "b": {"type": "local", "command": ["b"], "disabled": True}}
    configuration = read(written(tmp_path / "opencode.json", {"mcp": {"servers": servers}}))
    assert [each.command for each in configuration.upstreams] == ["a"]
    content = {"mcp": {"inputs": [], "servers": {"a": {"command": "${workspaceFolderBasename}"}}}}
    assert read_one(written(tmp_path / "settings.json", content)).command == tmp_path.name


def test_a_file_without_servers_is_noted(tmp_path: Path) -> None:
    configuration = read(written(tmp_path / "settings.json", {"theme": "dark"}))
    assert (configuration.upstreams, configuration.reports) == ((), ())
    (note,) = configuration.notes
    assert "has no MCP servers; servers stand under one of 'mcpServers'" in note


def test_a_time_limit_under_a_second_is_one_of_seconds_and_long_ones_end(tmp_path: Path) -> None:
    assert one(tmp_path, {"command": "a", "timeout": 45}).timeout == 45
    assert one(tmp_path, {"command": "a", "timeout": 1e300}).timeout == 24 * 3600
