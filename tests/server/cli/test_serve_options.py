"""Options that `serve` refuses before anything listens."""

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from server.catalog.folders import DATA_VARIABLE
from server.matching.matcher_provider import MatcherProvider
from server.paths import shipped_data
from tests.server.cli.commands import Commands

ISSUER = ["--oauth-issuer", "https://issuer.example"]
RESOURCE = ["--oauth-resource", "https://agents.example/mcp"]
TWO = ["--workers", "2"]
WRONG_TOKENS = '{"ann": "short"}'


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch, toy_data: Path) -> list[object]:
    """Yield the server that began to serve, of the toy catalog, whose matcher nobody asks.

    The log of this process stays as it is.
    """
    monkeypatch.setenv(DATA_VARIABLE, str(toy_data))
    monkeypatch.setattr(MatcherProvider, "start", lambda *_: None)
    begun: list[object] = []
    monkeypatch.setattr("server.protocol.stdio.run_stdio", begun.append)
    for name in ("run_here", "run_workers"):
        monkeypatch.setattr(f"server.cli.serve_http.{name}", lambda *arguments: begun.append(arguments))
    return begun


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder to work in, with a token file that is wrong."""
    (tmp_path / "wrong.json").write_text(WRONG_TOKENS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def complaint(run: Commands) -> str:
    """Return the one message, which has three parts: bad value, rule, next step."""
    (message,) = re.findall("^error: (.*)$", run.err, re.MULTILINE)
    assert len(re.split("[;:] ", message)) >= 3, message
    return str(message)


REFUSED: dict[str, tuple[list[str], str]] = {
    "a page at MCP's path": (["--web", "--path", "/"], "--path / was given with --web"),
    "MCP below the page's API": (["--web", "--path", "/api/mcp"], "--path /api/mcp was given with --web"),
    "MCP among the page's files": (["--web", "--path", "/page"], "--path /page was given with --web"),
    "sessions in workers": (["--sessions", *TWO], "--sessions was given with --workers 2"),
    "tokens and an issuer": (["--tokens", "wrong.json", *ISSUER, *RESOURCE], "--tokens and --oauth-issuer"),
    "an issuer without a resource": (ISSUER, "--oauth-resource"),
    "a scope alone": (["--oauth-scope", "read"], "--oauth-scope"),
    "a resource alone": (RESOURCE, "--oauth-resource"),
    "keys alone": (["--oauth-keys", "https://issuer.example/keys"], "--oauth-keys"),
    "a wrong token file": (["--tokens", "wrong.json"], "wrong.json"),
    "a wrong token file in workers": (["--tokens", "wrong.json", *TWO], "wrong.json"),
    "no token file": (["--tokens", "none.json", *TWO], "none.json"),
    "a wrong allowlist in workers": (["--allowlist", "wrong.json", *TWO], "wrong.json"),
    "an unknown profile in workers": (["--profile", "everything", *TWO], "everything"),
    "no data folder": (["--data", "nowhere"], "nowhere"),
    "no data folder in workers": (["--data", "nowhere", *TWO], "nowhere"),
}
URLS = [
    "http://issuer.example",
    "ftp://issuer.example",
    "issuer.example",
    "https://",
    "https:///mcp",
    "http://10.0.0.1",
]
MALFORMED = ["https://[", "https://issuer.example:99999", "https://issuer.example:x", "https://issuer example"]
BLANK: list[list[str]] = [
    ["--tokens", ""],
    ["--oauth-issuer", ""],
    ["--oauth-issuer", "", "--oauth-resource", ""],
    [*ISSUER, "--oauth-resource", ""],
    [*ISSUER, *RESOURCE, "--oauth-keys", ""],
    ["--allowlist", ""],
]


def test_options_that_cannot_be_are_refused_before_anything_listens(
    run: Commands, files: Path, listening: list[object]
) -> None:
    for why, (options, named) in REFUSED.items():
        assert run("serve", "--transport", "http", *options) == 2, why
        assert named in complaint(run), why
        assert listening == [], why


def test_a_page_needs_http_and_no_gateway(run: Commands, listening: list[object]) -> None:
    assert run("serve", "--web") == 2
    assert "--web was given with --transport stdio" in complaint(run)
    assert listening == []
    assert run("gateway", "--transport", "http", "--web") == 2
    assert "--web" in run.err


def test_a_page_is_served_beside_any_other_path(run: Commands, listening: list[object]) -> None:
    for workers in ["1", "2"]:
        assert run("serve", "--transport", "http", "--web", "--path", "/tools", "--workers", workers) == 0, workers
        assert len(listening) == 1, workers
        listening.clear()


def test_an_address_that_is_neither_safe_nor_of_this_machine_is_refused(run: Commands, listening: list[object]) -> None:
    for url in [*URLS, *MALFORMED]:
        for option in ["--oauth-issuer", "--oauth-resource", "--oauth-keys"]:
            assert run("serve", "--transport", "http", *ISSUER, *RESOURCE, option, url) == 2, (url, option)
            assert complaint(run).startswith(f"{option} got {url!r}"), (url, option)
            assert listening == [], (url, option)


def test_an_issuer_on_this_machine_needs_no_encryption(run: Commands, listening: list[object]) -> None:
    for url in ["http://localhost:9", "http://127.0.0.1:9/realm", "http://[::1]:9"]:
        assert run("serve", "--transport", "http", "--oauth-issuer", url, *RESOURCE) == 0, url
        assert len(listening) == 1, url
        listening.clear()


def test_a_guard_that_was_left_blank_does_not_let_everyone_in(run: Commands, listening: list[object]) -> None:
    for options in BLANK:
        assert run("serve", "--transport", "http", *options) == 2, options
        assert listening == [], options


def test_a_path_or_port_that_cannot_be_is_refused(run: Commands, listening: list[object]) -> None:
    for path in ["/metrics", "/healthz", "/readyz", "/.well-known/x", "/.well-known", "mcp", ""]:
        assert run("serve", "--transport", "http", "--path", path) == 2, path
        assert f"argument --path: {path!r}" in run.err, path
        assert listening == [], path
    for port in ["-1", "65536", "http", ""]:
        assert run("serve", "--transport", "http", f"--port={port}") == 2, port
        assert f"argument --port: {port!r}" in run.err or f"argument --port: invalid int value: {port!r}" in run.err, (
            port
        )
        assert listening == [], port


def test_what_is_counted_is_a_whole_number_from_one_on(run: Commands, listening: list[object]) -> None:
    for option in ["--workers", "--max-body", "--max-phrase", "--max-concurrency", "--request-timeout", "--watch"]:
        for value in ["0", "-1", "1.5", "many", ""]:
            assert run("serve", "--transport", "http", f"{option}={value}") == 2, (option, value)
            assert f"argument {option}: {value!r} is not a whole number of 1 or more" in run.err, (option, value)
            assert listening == [], (option, value)


def test_a_broken_catalog_is_a_fault_before_anything_listens(
    run: Commands, toy_data: Path, listening: list[object]
) -> None:
    for workers in ["1", "2"]:
        (toy_data / "aliases.json").write_text("[]", encoding="utf-8")
        assert run("serve", "--transport", "http", "--workers", workers) == 1, workers
        assert str(toy_data / "aliases.json") in complaint(run), workers
        assert listening == [], workers


@pytest.mark.processes
def test_a_port_that_is_taken_is_a_fault(toy_data: Path) -> None:
    for workers in ["1", "2"]:
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            options = ["--data", str(toy_data), "--port", str(other.getsockname()[1]), "--workers", workers]
            command = [sys.executable, "-m", "agent_capabilities", "serve", "--transport", "http", *options]
            ended = subprocess.run(command, cwd=shipped_data().parent, capture_output=True, timeout=60, check=False)
        assert ended.returncode == 1, workers
        assert b"Traceback" not in ended.stderr, workers


def test_help_shows_the_options_in_groups(run: Commands) -> None:
    assert run("serve", "--help") == 0
    groups = re.findall(r"^(\S.*):$", run.out, re.MULTILINE)
    wanted = ["tools", "http: endpoint and limits", "http: page", "http: access", "logs, metrics and traces"]
    assert [group for group in groups if group in wanted] == wanted
