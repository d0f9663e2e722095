"""Ids of HTTP requests, what became of each, and what they add to what is told of MCP requests."""

from pathlib import Path
from typing import Any

import pytest
from mcp_types import INVALID_PARAMS, METHOD_NOT_FOUND
from starlette.responses import PlainTextResponse
from starlette.routing import Mount
from starlette.types import Receive, Scope, Send

from server.http.requests import HEADER, HttpRequests, request_id
from tests.server.faults.messages import ERAS, lookup
from tests.server.telemetry.observed import Told, http_client, observed_application, post, sent_by, token_file

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("toy_model")]

TOKEN = "the-secret-token-of-alice"

each_era = pytest.mark.parametrize("era", ERAS)


@pytest.fixture
def told() -> Told:
    return Told()


async def answers(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that answers with the id that it sees, and claims another."""
    await PlainTextResponse(request_id(scope), 202, {HEADER: "of-the-application"})(scope, receive, send)


async def is_silent(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that does not answer."""


async def breaks(scope: Scope, receive: Receive, send: Send) -> None:
    """An application with a fault."""
    raise RuntimeError("broken")


async def id_for(told: Told, *given: bytes) -> str:
    """Return the id in the one header of a response, which is the one that the application and the observers saw."""
    start, body = await sent_by(answers, told, *given)
    (named,) = [value for name, value in start["headers"] if name.lower() == HEADER.lower().encode()]
    assert named == body["body"] == told.responses[-1].request.encode()
    return told.responses[-1].request


async def test_each_request_has_an_id_of_its_own(told: Told) -> None:
    assert len({await id_for(told) for _ in range(10)}) == 10


async def test_a_usable_id_is_taken_over(told: Told) -> None:
    for given in [b"7", b"A-b_c.9", b"x" * 64]:
        assert await id_for(told, given) == given.decode(), given


async def test_an_unusable_id_is_replaced(told: Told) -> None:
    for given in [
        b"",
        b" ",
        b"a b",
        b"x" * 65,
        b"a\nb",
        b"end\n",
        b"a\r\nb",
        b"\xc3\xa9",
        b"\xff",
        b"a=b",
        b'"',
        b"\x1b[0m",
    ]:
        replaced = await id_for(told, given)
        assert replaced.encode() != given, given
        assert replaced.isalnum(), given


async def test_the_status_and_the_seconds_are_told(told: Told) -> None:
    await sent_by(answers, told)
    assert [(seen.status, 0 < seen.seconds < 60) for seen in told.responses] == [(202, True)]


async def test_a_request_without_a_response_is_told_with_status_0(told: Told) -> None:
    assert await sent_by(is_silent, told, b"mine") == []
    assert [(seen.request, seen.status) for seen in told.responses] == [("mine", 0)]


async def test_an_exception_is_told_too_and_goes_on(told: Told) -> None:
    with pytest.raises(RuntimeError, match="broken"):
        await sent_by(breaks, told, b"mine")
    assert [seen.request for seen in told.responses] == ["mine"]


@pytest.mark.parametrize("kind", ["lifespan", "websocket"])
async def test_what_is_no_http_request_passes_as_it_is(told: Told, kind: str) -> None:
    passed: list[Any] = []

    async def app(*what: Any) -> None:
        passed.append(what)

    what: Any = ({"type": kind}, object(), object())
    await HttpRequests(app, observers=[told.responses.append])(*what)
    assert (passed, told.responses) == ([what], [])


@each_era
async def test_an_mcp_request_is_told_with_the_id_of_its_response(told: Told, toy_data: Path, era: str) -> None:
    response = await post(told, toy_data, era, "tools/call", lookup("rewind"))
    assert [seen.request for seen in told.requests] == [response.headers[HEADER]]


async def test_the_caller_is_the_name_of_the_token(toy_data: Path) -> None:
    cases: list[str | None] = ["alice", None]
    for era in ERAS:
        for caller in cases:
            told = Told()
            options = ["--tokens", token_file(toy_data, alice=TOKEN)] if caller else []
            await post(told, toy_data, era, "tools/call", lookup(), *options, Authorization=f"Bearer {TOKEN}")
            assert [seen.caller for seen in told.requests] == [caller], (era, caller)


async def test_a_request_that_this_server_cannot_read_is_told_as_such(toy_data: Path) -> None:
    cases: list[tuple[str, dict[str, Any], tuple[str, str | None, int]]] = [
        ("my/secret", {}, ("other", None, METHOD_NOT_FOUND)),
        ("prompts/list", {}, ("other", None, METHOD_NOT_FOUND)),
        ("completion/complete", {"ref": "x"}, ("completion/complete", None, INVALID_PARAMS)),
        ("tools/call", {"name": "get_sources", "arguments": "x"}, ("tools/call", "get_sources", INVALID_PARAMS)),
    ]
    for era in ERAS:
        for method, params, told_as in cases:
            told = Told()
            await post(told, toy_data, era, method, params)
            assert [(seen.method, seen.tool, int(seen.outcome)) for seen in told.requests] == [told_as], (era, method)


@pytest.mark.parametrize(("path", "status"), [("/mcp", 401), ("/elsewhere", 404)])
async def test_a_refusal_is_told_with_its_status_and_id(told: Told, toy_data: Path, path: str, status: int) -> None:
    options = ["--tokens", token_file(toy_data, alice=TOKEN)]
    async with http_client(observed_application(toy_data, told, *options)) as client:
        response = await client.post(path)
    assert [(seen.request, seen.status) for seen in told.responses] == [(response.headers[HEADER], status)]


async def test_what_supervisors_ask_all_day_is_not_told_and_has_an_id(told: Told, toy_data: Path) -> None:
    for path in ["/healthz", "/readyz", "/metrics"]:
        async with http_client(observed_application(toy_data, told)) as client:
            assert (await client.get(path)).headers[HEADER], path
        assert told.responses == [], path


async def test_a_fault_is_told_with_the_status_and_id_that_the_client_sees(told: Told, toy_data: Path) -> None:
    app = observed_application(toy_data, told)
    app.router.routes.append(Mount("/broken", breaks))
    async with http_client(app) as client:
        response = await client.get("/broken/")
    assert response.status_code == 500
    assert [(seen.request, seen.status) for seen in told.responses] == [(response.headers.get(HEADER), 500)]
