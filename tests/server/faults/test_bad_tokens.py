"""Callers who bear no token, or one that is not theirs to bear; some are in `surface/test_over_http`."""

import json
from pathlib import Path
from typing import Final

import pytest

from tests.server.faults.clean import messages_in
from tests.server.faults.messages import ERAS, HELLO, lookup, raw_call, raw_request
from tests.server.faults.raw import Answer, answer_to
from tests.server.faults.served import Served

pytestmark = pytest.mark.processes

TOKEN: Final = "the-token-of-a-good-caller"
LATER: Final = "the-token-that-comes-later"
HEADERS: Final = {"Authorization": f"Bearer {TOKEN}"}

BAD: Final = {
    "no scheme": TOKEN,
    "the scheme alone": "Bearer",
    "an empty one": "Bearer ",
    "a blank one": "Bearer      ",
    "the name of its bearer": "Bearer caller",
    "one letter less": f"Bearer {TOKEN[:-1]}",
    "one letter more": f"Bearer {TOKEN}s",
    "capitals": f"Bearer {TOKEN.upper()}",
    "two spaces": f"Bearer  {TOKEN}",
    "a tab": f"Bearer\t{TOKEN}",
    "a space within": f"Bearer {TOKEN[:5]} {TOKEN[5:]}",
    "something after it": f"Bearer {TOKEN} x",
    "two in one": f"Bearer {TOKEN},{TOKEN}",
    "quotes": f'Bearer "{TOKEN}"',
    "a star": "Bearer *",
    "another scheme": f"Token {TOKEN}",
    "a very long one": "Bearer " + "x" * 50_000,
    "no ASCII": "Bearer tökén-töken-töken",
    "every byte from 160 on": "Bearer " + "".join(map(chr, range(0xA0, 0x100))),
}

each_era = pytest.mark.parametrize("era", ERAS)


def options(folder: Path) -> list[str]:
    write_tokens(folder, {"caller": TOKEN})
    return ["--tokens", str(folder / "tokens.json")]


def write_tokens(folder: Path, tokens: dict[str, str]) -> None:
    """Replace the token file in one step."""
    new = folder / "new.json"
    new.write_text(json.dumps(tokens), encoding="utf-8")
    new.replace(folder / "tokens.json")


def assert_unauthorised(answer: Answer | None) -> None:
    assert answer is not None
    assert answer.status == 401
    assert answer.header["www-authenticate"].startswith("Bearer ")
    (said,) = messages_in(answer.text)
    assert set(said) == {"error", "error_description"}


def status_with(served: Served, token: str) -> int:
    answer = answer_to(served, raw_call(ERAS[0], lookup(), Authorization=f"Bearer {token}"))
    assert answer is not None
    return answer.status


@each_era
@pytest.mark.parametrize("given", BAD.values(), ids=BAD)
def test_a_bad_token_opens_nothing(server: Served, era: str, given: str) -> None:
    assert_unauthorised(answer_to(server, raw_call(era, lookup(), Authorization=given)))


@each_era
@pytest.mark.parametrize("method", ["initialize", "ping", "tools/list", "resources/list", "server/discover", "x"])
def test_no_method_is_open_without_a_token(server: Served, era: str, method: str) -> None:
    assert_unauthorised(answer_to(server, raw_request(era, method, HELLO if method == "initialize" else {})))


@each_era
@pytest.mark.parametrize("body", [b"", b"{", b"[" * 100_000, b"\xff" * 1_000], ids=["empty", "open", "deep", "bytes"])
def test_what_is_no_request_is_not_looked_at_without_a_token(server: Served, era: str, body: bytes) -> None:
    assert_unauthorised(answer_to(server, raw_request(era, "ping", body)))


@each_era
def test_a_token_elsewhere_than_in_its_header_opens_nothing(server: Served, era: str) -> None:
    elsewhere = {"Cookie": f"Authorization=Bearer {TOKEN}", "Proxy-Authorization": f"Bearer {TOKEN}"}
    request = raw_call(era, lookup(), **elsewhere).replace(b"POST /mcp ", f"POST /mcp?access_token={TOKEN} ".encode())
    assert_unauthorised(answer_to(server, request))


def test_a_token_that_was_taken_out_is_refused_from_then_on(server: Served) -> None:
    try:
        write_tokens(server.folder, {"caller": LATER})
        assert [status_with(server, token) for token in (TOKEN, LATER)] == [401, 200]
    finally:
        write_tokens(server.folder, {"caller": TOKEN})
    assert [status_with(server, token) for token in (TOKEN, LATER)] == [200, 401]


@pytest.mark.parametrize("content", [b"", b"{}", b"{", b"\0" * 100, b'{"caller": ""}', b'{"x": "' + b"y" * 5_000, None])
def test_a_token_file_turned_bad_lets_in_those_it_did_and_no_one_else(server: Served, content: bytes | None) -> None:
    path = server.folder / "tokens.json"
    try:
        path.unlink() if content is None else path.write_bytes(content)
        assert [status_with(server, token) for token in (TOKEN, LATER, "")] == [200, 401, 401]
    finally:
        write_tokens(server.folder, {"caller": TOKEN})
