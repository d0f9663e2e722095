"""Bodies so deep that whoever reads, checks or repeats them could run out of stack."""

import json
from collections.abc import Callable
from typing import Any, Final

import httpx2
import pytest

from tests.server.faults.clean import assert_clean, assert_refused
from tests.server.faults.messages import ERAS, TOOL, call, lookup, message, post
from tests.server.faults.served import Served

pytestmark = pytest.mark.processes

OPTIONS = ["--profile", "full", "--dynamic-tools", "--log-phrases"]
"""With phrases in the log, logging them is tested, too."""
LEVELS: Final = (1_000, 10_000, 100_000)
DEEPEST: Final = 100_000
BELOW: Final = 80
"""Depths below the deepest that is read; there, what does more than reading runs out of stack first."""

KINDS: Final = {"arrays": ("[", "1", "]"), "objects": ('{"a":', "1", "}"), "open arrays": ("[", "", "")}
PLACE: Final = "in here"
PLACES: Final[dict[str, Callable[[str], Any]]] = {
    "the body": lambda era: PLACE,
    "the id": lambda era: message(era, "tools/call", **lookup()) | {"id": PLACE},
    "the params": lambda era: message(era, "tools/call") | {"params": PLACE},
    "the arguments": lambda era: message(era, "tools/call", name=TOOL, arguments=PLACE),
    "an argument": lambda era: message(era, "tools/call", **lookup(PLACE)),
    "an argument too many": lambda era: message(era, "tools/call", **call(agent="claude-code", x=PLACE)),
    "a call in a call": lambda era: message(era, "tools/call", name=TOOL, arguments={"arguments": PLACE}),
    "what the client says of itself": lambda era: message(era, "initialize", clientInfo=PLACE),
}

each_era = pytest.mark.parametrize("era", ERAS)
each_kind = pytest.mark.parametrize("kind", KINDS)
each_place = pytest.mark.parametrize("place", PLACES)


def deep(era: str, place: str, kind: str, levels: int) -> str:
    """Return a request with something deep in a place."""
    start, middle, end = KINDS[kind]
    return json.dumps(PLACES[place](era)).replace(f'"{PLACE}"', start * levels + middle + end * levels)


@each_era
@each_kind
@each_place
def test_it_is_refused(server: Served, client: httpx2.Client, era: str, place: str, kind: str) -> None:
    for levels in LEVELS:
        response = post(client, server.address, era, deep(era, place, kind, levels))
        assert 400 <= response.status_code < 500
        assert_refused(response.status_code, response.text)


@pytest.mark.parametrize(
    ("place", "kind", "era"),
    [
        ("an argument", "arrays", ERAS[1]),
        ("an argument", "objects", ERAS[0]),
        ("an argument too many", "objects", ERAS[1]),
        ("the arguments", "arrays", ERAS[0]),
    ],
)
def test_no_depth_that_is_read_is_too_deep_for_what_comes_after(
    server: Served, client: httpx2.Client, place: str, kind: str, era: str
) -> None:
    def answer(levels: int) -> httpx2.Response:
        return post(client, server.address, era, deep(era, place, kind, levels))

    read, refused = 1, DEEPEST
    while refused - read > 1:
        middle = (read + refused) // 2
        unread = '"id":null' in answer(middle).text.replace(" ", "")
        read, refused = (read, middle) if unread else (middle, refused)
    assert read > 50
    for levels in range(max(1, read - BELOW), read + 1):
        response = answer(levels)
        assert_clean(response.status_code, response.text)
