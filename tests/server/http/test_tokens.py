import json
import logging
import os
from pathlib import Path
from typing import Any

import pytest

from server.errors import CallerError
from server.http.tokens import TokenFile, read_tokens

pytestmark = [pytest.mark.anyio]
ANN, BOB, NEW = "ann-0123456789abcdef", "bob-0123456789abcdef", "new-0123456789abcdef"
DEEP = ["[" * 100_000, f"a = {'[' * 100_000}"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "tokens.json"
    path.write_text(json.dumps({"ann": ANN, "bob": BOB}), encoding="utf-8")
    return path


def change(path: Path, content: str | None) -> None:
    """Write with a later time than before, whatever the clock's steps; delete for None."""
    later = path.stat().st_mtime_ns + 10**9
    if content is None:
        path.unlink()
    else:
        path.write_text(content, encoding="utf-8")
        os.utime(path, ns=(later, later))


async def name(tokens: TokenFile, token: str) -> str | None:
    access = await tokens.verify_token(token)
    return access.client_id if access else None


def error_response(path: Path) -> str:
    with pytest.raises(CallerError) as caught:
        read_tokens(path)
    message = str(caught.value)
    assert message.startswith(f"token file {str(path)!r}")
    assert len(message.split("; ", 2)) == 3
    assert ANN[:15] not in message
    assert BOB not in message
    return message


def test_a_name_has_one_token_or_several(tmp_path: Path) -> None:
    for file in ["t.json", "t.toml", "t.TOML"]:
        toml = f'ann = ["{ANN}", "{NEW}"]\nbob = "{BOB}"'
        content = json.dumps({"ann": [ANN, NEW], "bob": BOB}) if file.endswith("json") else toml
        (tmp_path / file).write_text(content, encoding="utf-8")
        assert read_tokens(tmp_path / file) == {ANN: "ann", NEW: "ann", BOB: "bob"}, file


def test_a_token_that_a_name_has_twice_is_its_token(path: Path) -> None:
    change(path, json.dumps({"ann": [ANN, ANN]}))
    assert read_tokens(path) == {ANN: "ann"}


def test_sixteen_characters_are_enough(path: Path) -> None:
    change(path, json.dumps({"ann": ANN[:16]}))
    assert read_tokens(path) == {ANN[:16]: "ann"}


UNUSABLE = [
    ANN[:15],
    [ANN, ANN[:15]],
    f"{ANN}é",
    f"{ANN}\n",
    f"{ANN}\ud800",
    {"token": ANN},
    [[ANN]],
    [ANN, 1],
    [],
    None,
]


def test_a_name_without_a_usable_token_is_refused(path: Path) -> None:
    for held in UNUSABLE:
        change(path, json.dumps({"bob": BOB, "ann": held}))
        assert ", entry 2, has no usable token; it must be 16 or more printable ASCII characters" in error_response(
            path
        ), held


def test_a_shared_token_is_refused(path: Path) -> None:
    change(path, json.dumps({"ann": ANN, "bob": [BOB, ANN]}))
    assert ", entry 2, has the token of another entry; " in error_response(path)


def test_names_in_the_place_of_tokens_are_not_repeated(path: Path) -> None:
    change(path, json.dumps({ANN: "ann"}))
    error_response(path)


def test_a_file_without_names_is_refused(path: Path) -> None:
    cases: list[Any] = [{}, [], [ANN], ANN, None]
    for value in cases:
        change(path, json.dumps(value))
        assert "; it must map names to tokens; " in error_response(path), value


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for file in ["t.json", "t.toml"]:
        for content in [None, f'{{"ann": "{ANN}",}}', f'ann = "{ANN}', f"{ANN}\xff", *DEEP]:
            with subtests.test(file=file, content=content and content[:20]):
                if content is not None:
                    (tmp_path / file).write_text(content, encoding="latin-1")
                assert " cannot be read (" in error_response(tmp_path / file)


def test_a_wrong_file_is_refused_at_the_start(path: Path) -> None:
    change(path, "{")
    with pytest.raises(CallerError, match="cannot be read"):
        TokenFile(path)


async def test_a_known_token_is_its_names(path: Path) -> None:
    access = await TokenFile(path).verify_token(BOB)
    assert access is not None
    assert (access.client_id, access.token, access.scopes) == ("bob", BOB, [])


async def test_any_other_token_is_no_ones(path: Path) -> None:
    for token in ["", ANN[:-1], f"{ANN}x", ANN.upper(), f" {ANN}", "é" * 20, "x\udce9", "\ud800"]:
        assert await TokenFile(path).verify_token(token) is None, token


async def test_a_change_is_read_before_the_next_answer(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "server.http.tokens")
    tokens = TokenFile(path)
    change(path, json.dumps({"ann": NEW, "bob": BOB}))
    assert [await name(tokens, token) for token in (ANN, NEW, BOB)] == [None, "ann", "bob"]
    assert caplog.messages == [f"reloaded the tokens from {path}"]


async def test_a_replaced_file_of_the_same_size_and_time_is_read(path: Path) -> None:
    tokens = TokenFile(path)
    before = path.stat()
    other = path.with_name("other.json")
    other.write_text(json.dumps({"ann": NEW, "bob": BOB}), encoding="utf-8")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert [await name(tokens, token) for token in (ANN, NEW)] == [None, "ann"]


async def test_a_change_that_cannot_be_used_keeps_the_old_tokens_and_is_logged_once(
    path: Path, caplog: pytest.LogCaptureFixture, subtests: pytest.Subtests
) -> None:
    kept = f"could not reload the tokens, so the previous ones stay valid: token file {str(path)!r}"
    good = path.read_text(encoding="utf-8")
    for content in ["{", "{}", json.dumps({"ann": "short"}), DEEP[0], None]:
        caplog.clear()
        with subtests.test(content=content and content[:20]):
            path.write_text(good, encoding="utf-8")
            tokens = TokenFile(path)
            change(path, content)
            assert [await name(tokens, token) for token in (ANN, BOB, NEW)] == ["ann", "bob", None]
            (message,) = caplog.messages
            assert message.startswith(kept)


async def test_a_mended_file_is_read_again(path: Path) -> None:
    tokens = TokenFile(path)
    change(path, "{")
    await tokens.verify_token(ANN)
    change(path, json.dumps({"ann": NEW}))
    assert [await name(tokens, token) for token in (ANN, NEW)] == [None, "ann"]
