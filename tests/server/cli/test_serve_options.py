"""What `serve` refuses before anything listens."""

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
    """What began to serve, of the toy catalog, whose matcher nobody asks; the log of this process stays as it is."""
    monkeypatch.setenv(DATA_VARIABLE, str(toy_data))
    monkeypatch.setattr(MatcherProvider, "start", lambda *_: None)
    begun: list[object] = []
    monkeypatch.setattr("server.protocol.stdio.run_stdio", begun.append)
    for name in ("run_here", "run_workers"):
        monkeypatch.setattr(f"server.cli.serve_http.{name}", lambda *arguments: begun.append(arguments))
    return begun


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a token file that is wrong."""
    (tmp_path / "wrong.json").write_text(WRONG_TOKENS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def complaint(run: Commands) -> str:
    """The one message, which has three parts: bad value, rule, next step."""
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


@pytest.mark.parametrize("why", REFUSED)
def test_options_that_cannot_be_are_refused_before_anything_listens(
    run: Commands, files: Path, listening: list[object], why: str
) -> None:
    options, named = REFUSED[why]
    assert run("serve", "--transport", "http", *options) == 2
    assert named in complaint(run)
    assert listening == []


def test_a_page_needs_http(run: Commands, listening: list[object]) -> None:
    assert run("serve", "--web") == 2
    assert "--web was given with --transport stdio" in complaint(run)
    assert listening == []


def test_a_gateway_has_no_page(run: Commands) -> None:
    assert run("gateway", "--transport", "http", "--web") == 2
    assert "--web" in run.err


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_page_is_served_beside_any_other_path(run: Commands, listening: list[object], workers: str) -> None:
    assert run("serve", "--transport", "http", "--web", "--path", "/tools", "--workers", workers) == 0
    assert len(listening) == 1


@pytest.mark.parametrize("url", [*URLS, *MALFORMED])
@pytest.mark.parametrize("option", ["--oauth-issuer", "--oauth-resource", "--oauth-keys"])
def test_an_address_that_is_neither_safe_nor_of_this_machine_is_refused(
    run: Commands, listening: list[object], option: str, url: str
) -> None:
    assert run("serve", "--transport", "http", *ISSUER, *RESOURCE, option, url) == 2
    assert complaint(run).startswith(f"{option} got {url!r}")
    assert listening == []


@pytest.mark.parametrize("url", ["http://localhost:9", "http://127.0.0.1:9/realm", "http://[::1]:9"])
def test_an_issuer_on_this_machine_needs_no_encryption(run: Commands, listening: list[object], url: str) -> None:
    assert run("serve", "--transport", "http", "--oauth-issuer", url, *RESOURCE) == 0
    assert len(listening) == 1


@pytest.mark.parametrize("options", BLANK, ids=" ".join)
def test_a_guard_that_was_left_blank_does_not_let_everyone_in(
    run: Commands, listening: list[object], options: list[str]
) -> None:
    assert run("serve", "--transport", "http", *options) == 2
    assert listening == []


@pytest.mark.parametrize("path", ["/metrics", "/healthz", "/readyz", "/.well-known/x", "/.well-known", "mcp", ""])
def test_a_path_that_is_not_free_is_refused(run: Commands, listening: list[object], path: str) -> None:
    assert run("serve", "--transport", "http", "--path", path) == 2
    assert f"argument --path: {path!r}" in run.err
    assert listening == []


@pytest.mark.parametrize(
    "option", ["--workers", "--max-body", "--max-phrase", "--max-concurrency", "--request-timeout", "--watch"]
)
@pytest.mark.parametrize("value", ["0", "-1", "1.5", "many", ""])
def test_what_is_counted_is_a_whole_number_from_one_on(
    run: Commands, listening: list[object], option: str, value: str
) -> None:
    assert run("serve", "--transport", "http", f"{option}={value}") == 2
    assert f"argument {option}: {value!r} is not a whole number of 1 or more" in run.err
    assert listening == []


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_broken_catalog_is_a_fault_before_anything_listens(
    run: Commands, toy_data: Path, listening: list[object], workers: str
) -> None:
    (toy_data / "aliases.json").write_text("[]", encoding="utf-8")
    assert run("serve", "--transport", "http", "--workers", workers) == 1
    assert str(toy_data / "aliases.json") in complaint(run)
    assert listening == []


@pytest.mark.parametrize("port", ["-1", "65536", "http", ""])
def test_a_port_that_there_is_not_is_refused(run: Commands, listening: list[object], port: str) -> None:
    assert run("serve", "--transport", "http", f"--port={port}") == 2
    assert f"argument --port: {port!r}" in run.err or f"argument --port: invalid int value: {port!r}" in run.err
    assert listening == []


@pytest.mark.processes
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_port_that_is_taken_is_a_fault(toy_data: Path, workers: str) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        options = ["--data", str(toy_data), "--port", str(other.getsockname()[1]), "--workers", workers]
        command = [sys.executable, "-m", "agent_capabilities", "serve", "--transport", "http", *options]
        ended = subprocess.run(command, cwd=shipped_data().parent, capture_output=True, timeout=60, check=False)
    assert ended.returncode == 1
    assert b"Traceback" not in ended.stderr


def test_help_shows_the_options_in_groups(run: Commands) -> None:
    assert run("serve", "--help") == 0
    groups = re.findall(r"^(\S.*):$", run.out, re.MULTILINE)
    wanted = ["tools", "http: endpoint and limits", "http: page", "http: access", "logs, metrics and traces"]
    assert [group for group in groups if group in wanted] == wanted
