import json
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from hypothesis import assume, given
from hypothesis import strategies as st

from server.gateway.configuration.upstream_config import (
    MARK,
    UpstreamConfig,
    in_address,
    in_arguments,
    in_headers,
    redacted,
    secrets_of,
)
from tests.server.gateway.configuration.reading import one, read_one, written

SECRETS = st.text(min_size=6, max_size=30).filter(lambda text: not set(text) & set(MARK))
SHORT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=MARK), max_size=8)


@given(st.lists(SECRETS, min_size=1, max_size=4), st.data())
def test_no_secret_is_left_in_any_text(secrets: list[str], data: st.DataObject) -> None:
    text = "".join(data.draw(st.lists(st.sampled_from(secrets) | SHORT, max_size=10)))
    shown = redacted(text, secrets)
    assert not any(secret in shown for secret in secrets)


@given(SHORT, SECRETS, SHORT)
def test_what_is_not_secret_stays(before: str, secret: str, after: str) -> None:
    assume((before + secret + after).count(secret) == 1)
    assert redacted(f"{before}|{secret}|{after}", [secret]) == f"{before}|{MARK}|{after}"


@given(SHORT, SECRETS)
def test_a_text_without_secrets_is_unchanged(text: str, secret: str) -> None:
    assume(len(text) < len(secret) and secret not in text)
    assert redacted(text, [secret]) == text
    assert redacted(text, []) == redacted(text, [""]) == text


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters=MARK), min_size=6))
def test_secrets_are_found_in_the_forms_in_which_programs_write_them(secret: str) -> None:
    forms = [json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], repr(secret)[1:-1], quote(secret)]
    assert [redacted(f"<{form}>", [secret]) for form in forms] == [f"<{MARK}>"] * 4


def test_overlapping_secrets_leave_no_part() -> None:
    assert redacted("x abcdefghi y", ["abcdef", "defghi"]) == f"x {MARK} y"
    assert redacted("abababab!", ["ababab"]) == f"{MARK}!"


def test_secrets_in_arguments_are_found() -> None:
    cases: list[tuple[Sequence[str], set[str]]] = [
        (["--api-key", "planted-1"], {"planted-1"}),
        (["--api-key=planted-1"], {"planted-1"}),
        (["-t", "public-1", "--token", "planted-1"], {"planted-1"}),
        (["API_KEY=planted-1"], {"planted-1"}),
        (["-e", "API_KEY=planted-1"], {"planted-1"}),
        (["--env=API_KEY=planted-1"], {"planted-1"}),
        (
            ["--header", "Authorization: Bearer planted-1"],
            {"Authorization: Bearer planted-1", "Bearer planted-1", "planted-1"},
        ),
        (["postgres://user-1:planted-1@host/db"], {"user-1:planted-1", "user-1", "planted-1"}),
        (["--url=https://a.example/?key=planted%201"], {"planted%201", "planted 1"}),
        (["ghp_0123456789abcdef"], {"ghp_0123456789abcdef"}),
        (["--token", "--verbose"], set()),
        (["--token", "short"], set()),
        (["-y", "@scope/server-name", "/some/long/path", "--port=8080808"], set()),
    ]
    for arguments, secrets in cases:
        assert secrets_of(in_arguments(arguments)) == secrets, arguments


def test_secrets_in_addresses_are_found() -> None:
    cases: list[tuple[str, set[str]]] = [
        ("https://a.example/mcp/word?key=planted-1&mode=long-value", {"planted-1", "long-value"}),
        (
            "https://us%40er1:planted-1@a.example/mcp",
            {"us%40er1:planted-1", "us@er1:planted-1", "us%40er1", "us@er1", "planted-1"},
        ),
        ("https://a.example/s/0a1b2c3d4e5f6a7b8c9d0e/mcp", {"0a1b2c3d4e5f6a7b8c9d0e"}),
        ("https://a.example/some-quite-long-english-words/mcp", set()),
    ]
    for address, secrets in cases:
        assert secrets_of(in_address(address)) == secrets, address


def test_parts_of_a_secret_are_secret() -> None:
    assert secrets_of(in_headers(["Bearer planted-1", "plain-value"])) == {
        "Bearer planted-1",
        "planted-1",
        "plain-value",
    }
    assert secrets_of(["first line\nsecond line\nend"]) == {
        "first line\nsecond line\nend",
        "first line",
        "second line",
    }


def test_values_from_every_place_are_secrets_of_a_program(tmp_path: Path) -> None:
    written(tmp_path / ".env", "FILED=from-env-file")
    written(tmp_path / "key", "from-a-file")
    entry = {
        "command": "run",
        "args": ["${ONE}", "${file:key}", "--password", "from-argument", "${HOME}/x"],
        "env": {"A": "from-entry", "B": "x${TWO}", "C": "short"},
        "envFile": ".env",
    }
    upstream = one(tmp_path, entry, ONE="reference-1", TWO="reference-2", HOME="/home/someone")
    assert upstream.secrets == {
        "reference-1",
        "reference-2",
        "xreference-2",
        "from-a-file",
        "from-argument",
        "from-entry",
        "from-env-file",
    }


def test_values_from_every_place_are_secrets_of_a_remote_server(tmp_path: Path) -> None:
    entry = {"url": "https://${HOST_PART}.example/?k=query-value", "headers": {"Authorization": "Bearer ${TOKEN}"}}
    upstream = one(tmp_path, entry, HOST_PART="tenant-7", TOKEN="token-value")
    assert upstream.secrets == {"tenant-7", "query-value", "Bearer token-value", "token-value"}


def test_the_servers_own_name_is_not_secret(tmp_path: Path) -> None:
    upstream = one(tmp_path, {"command": "a", "env": {"SERVICE": "longer-than-six"}})
    assert upstream.secrets == {"longer-than-six"}
    path = {"mcpServers": {"github": {"command": "a", "env": {"SERVICE": "github"}}}}
    assert read_one(written(tmp_path / "b.json", path)).secrets == frozenset()


def test_an_upstream_shown_tells_no_secret(tmp_path: Path) -> None:
    entry = {"command": "run", "args": ["--key=planted-1", "open"], "env": {"A_KEY": "planted-2"}}
    shown = repr(one(tmp_path, entry))
    assert "planted" not in shown
    assert "run --key=[secret] open" in shown
    assert "A_KEY" in shown
    remote = one(tmp_path, {"url": "https://a.example/?k=planted-3", "headers": {"X-Key": "planted-4"}})
    assert "planted" not in f"{remote!r} {remote}"
    assert "https://a.example/?k=[secret]" in repr(remote)


def test_an_upstream_can_be_a_key_of_a_table() -> None:
    upstream = UpstreamConfig("a", Path("a.json"), "stdio", "run", env={"A": "1"})
    assert {upstream: 1}[upstream] == 1
