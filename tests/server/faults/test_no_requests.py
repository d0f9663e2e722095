"""Bodies that are no JSON, or no one JSON-RPC request; some are in `test_http_limits`."""

import json
from collections.abc import Callable
from typing import Final

import httpx2
import pytest
from mcp_types import METHOD_NOT_FOUND

from tests.server.faults.clean import assert_clean, assert_refused
from tests.server.faults.messages import ERAS, headers_of, lookup, message, post
from tests.server.faults.served import Served

pytestmark = pytest.mark.processes

NO_JSON: Final[dict[str, Callable[[str], bytes]]] = {
    "no UTF-8": lambda call: call.encode().replace(b"undo", b"\xff\xfe"),
    "a NUL after it": lambda call: call.encode() + b"\0",
    "nothing but NULs": lambda call: b"\0" * len(call),
    "two": lambda call: f"{call}\n{call}".encode(),
    "a comma after it": lambda call: f"{call},".encode(),
    "single quotes": lambda call: call.replace('"', "'").encode(),
    "half of it": lambda call: call[: len(call) // 2].encode(),
    "a string without an end": lambda call: b'"' + b"x" * 100_000,
    "a bare control character in a string": lambda call: call.replace("undo", "un\1do").encode(),
    "a number of five thousand digits": lambda call: call.replace('"id": 1', '"id": ' + "9" * 5_000).encode(),
}
NO_REQUEST: Final[dict[str, Callable[[str], str]]] = {
    "a batch of one": lambda call: f"[{call}]",
    "a batch of many": lambda call: f"[{','.join([call] * 100)}]",
    "an empty batch": lambda call: "[]",
    "a string": json.dumps,
    "not a number": lambda call: "NaN",
    "infinity": lambda call: "-Infinity",
    "an answer's id": lambda call: '{"id": 1}',
}
NO_METHOD: Final = ("", "x", "tools/calls", "../tools/list", "rpc.discover", "tools/list\0", "é", "x" * 100_000)

each_era = pytest.mark.parametrize("era", ERAS)


def call(era: str) -> str:
    return json.dumps(message(era, "tools/call", **lookup()))


@each_era
@pytest.mark.parametrize("broken", [pytest.param(change, id=name) for name, change in (NO_JSON | NO_REQUEST).items()])
def test_it_is_refused(server: Served, client: httpx2.Client, era: str, broken: Callable[[str], bytes | str]) -> None:
    response = post(client, server.address, era, broken(call(era)))
    assert response.status_code == 400
    assert_refused(response.status_code, response.text)


@each_era
@pytest.mark.parametrize("kind", ["result", "error"])
def test_an_answer_to_nothing_has_no_answer(server: Served, client: httpx2.Client, era: str, kind: str) -> None:
    response = post(client, server.address, era, {"jsonrpc": "2.0", "id": 1, kind: {"code": 1, "message": "x"}})
    assert_refused(response.status_code, response.text, or_acknowledged=True)


@each_era
@pytest.mark.parametrize("method", NO_METHOD, ids=lambda method: repr(method[:20]))
def test_an_unknown_method_is_refused(server: Served, client: httpx2.Client, era: str, method: str) -> None:
    headers = {name: value for name, value in headers_of(era, "").items() if name != "Mcp-Method"}
    if era == ERAS[1] and len(method) < 100 and method.isascii() and method.isprintable():
        headers["Mcp-Method"] = method
    response = client.post(server.address, json=message(era, method), headers=headers)
    assert_refused(response.status_code, response.text)
    if "Mcp-Method" in headers or era == ERAS[0]:
        assert response.json()["error"]["code"] == METHOD_NOT_FOUND


@each_era
def test_an_unknown_notification_is_acknowledged(server: Served, client: httpx2.Client, era: str) -> None:
    response = post(client, server.address, era, {"jsonrpc": "2.0", "method": "notifications/unheard-of"})
    assert_refused(response.status_code, response.text, or_acknowledged=True)


@each_era
def test_of_a_key_that_stands_twice_one_value_counts(server: Served, client: httpx2.Client, era: str) -> None:
    twice = call(era).replace('"id": 1', '"id": 1, "id": 2').replace('"method"', '"method": "ping", "method"')
    response = post(client, server.address, era, twice)
    assert_clean(response.status_code, response.text)
    assert response.json()["id"] == 2
    assert response.json()["result"]["structuredContent"]["capability"]["name"] == "Checkpoints"
