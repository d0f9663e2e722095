"""Values of a wrong type in every position of the JSON-RPC envelope."""

import copy
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from mcp_types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY

from tests.server.faults.clean import assert_refused
from tests.server.faults.messages import ERAS, HELLO, lookup, message, post
from tests.server.faults.served import Served

pytestmark = pytest.mark.processes

HANDSHAKE, MODERN = ERAS
Position = tuple[str, ...]
WRONG: list[Any] = [None, True, 7, 1.5, 10**30, float("nan"), "x", "", "\x00", "\ud800", [], [1], {}, {"a": 1}]

in_a_call = pytest.mark.parametrize(
    ("position", "right"),
    [(("jsonrpc",), ()), (("method",), ()), (("params",), ()), (("params", "name"), ())],
    ids=str,
)
in_a_handshake = pytest.mark.parametrize(
    ("position", "right"),
    [
        (("params", "protocolVersion"), (str,)),
        (("params", "capabilities"), (dict,)),
        (("params", "clientInfo"), ()),
        (("params", "clientInfo", "name"), (str,)),
        (("params", "clientInfo", "version"), (str,)),
    ],
    ids=str,
)
in_the_modern_envelope = pytest.mark.parametrize(
    ("position", "right"),
    [
        (("params", "_meta"), ()),
        (("params", "_meta", PROTOCOL_VERSION_META_KEY), ()),
        (("params", "_meta", CLIENT_CAPABILITIES_META_KEY), (dict,)),
        (("params", "_meta", CLIENT_INFO_META_KEY), (type(None),)),
    ],
    ids=str,
)


def broken(request: dict[str, Any], position: Position, right: tuple[type, ...]) -> Iterator[dict[str, Any]]:
    """Yield a request with every wrong value in turn at a position, those of the right types left out."""
    for wrong in WRONG:
        if type(wrong) not in right:
            copied = copy.deepcopy(request)
            place = copied
            for key in position[:-1]:
                place = place[key]
            place[position[-1]] = wrong
            yield copied


def assert_all_refused(
    client: httpx2.Client, served: Served, era: str, requests: Iterator[dict[str, Any]], method: str = "tools/call"
) -> None:
    for request in requests:
        response = post(client, served.address, era, request, method)
        assert_refused(response.status_code, response.text)


@in_a_call
@pytest.mark.parametrize("era", ERAS)
def test_a_call_is_refused(
    server: Served, client: httpx2.Client, era: str, position: Position, right: tuple[type, ...]
) -> None:
    call = message(era, "tools/call", **lookup())
    assert_all_refused(client, server, era, broken(call, position, right))


@in_a_handshake
def test_a_handshake_is_refused(
    server: Served, client: httpx2.Client, position: Position, right: tuple[type, ...]
) -> None:
    hello = message(HANDSHAKE, "initialize", **HELLO)
    assert_all_refused(client, server, HANDSHAKE, broken(hello, position, right), "initialize")


@in_the_modern_envelope
def test_a_modern_envelope_is_refused(
    server: Served, client: httpx2.Client, position: Position, right: tuple[type, ...]
) -> None:
    call = message(MODERN, "tools/call", **lookup())
    assert_all_refused(client, server, MODERN, broken(call, position, right))


@pytest.mark.parametrize("era", ERAS)
def test_a_request_with_an_id_that_can_be_none_has_no_result(server: Served, client: httpx2.Client, era: str) -> None:
    """It may be taken for a notification, which is acknowledged and not answered."""
    call = message(era, "tools/call", **lookup())
    for request in broken(call, ("id",), (int, str)):
        response = post(client, server.address, era, request)
        assert_refused(response.status_code, response.text, or_acknowledged=True)
