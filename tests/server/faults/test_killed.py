"""The process dies without a word, and a supervisor starts it again."""

import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.server.calls import MODES
from tests.server.faults.messages import (
    ERAS,
    MEANT,
    PHRASE,
    TOOL,
    capability_in,
    headers_of,
    lookup,
    message,
    new_client,
    post_call,
)
from tests.server.faults.served import SECONDS, Served, Supervisor, supervised, until

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither kill -9 nor a way to hold a process"),
]
LOST = (httpx2.NetworkError, httpx2.RemoteProtocolError)
"""A connection that ended before the answer; never a timeout, for which a caller would wait in vain."""
CALLERS = 32


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return Served(tmp_path_factory.mktemp("killed"))


@pytest.fixture(scope="module")
def supervisor(served: Served) -> Iterator[Supervisor]:
    with supervised(served) as supervisor:
        yield supervisor


@pytest.fixture
def starts(served: Served, supervisor: Supervisor) -> int:
    """Return how often the server, which answers, was started so far."""
    assert served.answers(ERAS[0]) == MEANT
    return supervisor.starts


def kill(supervisor: Supervisor) -> None:
    supervisor.process.send_signal(signal.SIGKILL)


def hold(supervisor: Supervisor) -> None:
    """From now on the system takes requests in, and none is answered; kill -9 works all the same."""
    supervisor.process.send_signal(signal.SIGSTOP)


def wait_until_it_is_started_again(supervisor: Supervisor, starts: int) -> None:
    """A process that is killed closes what it holds bit by bit: its port may take callers in for a moment yet."""
    until(lambda: supervisor.starts > starts, "the supervisor starts it again")


@pytest.mark.parametrize("era", ERAS)
def test_a_caller_in_mid_call_gets_a_connection_error_and_its_retry_the_answer(
    served: Served, supervisor: Supervisor, starts: int, client: httpx2.Client, era: str
) -> None:
    def kill_once_sent(event: str, _: object) -> None:
        if event.endswith("send_request_body.complete"):
            kill(supervisor)

    request = client.build_request(
        "POST",
        served.address,
        json=message(era, "tools/call", **lookup()),
        headers=headers_of(era, "tools/call", TOOL),
        extensions={"trace": kill_once_sent},
    )
    hold(supervisor)
    with pytest.raises(LOST):
        client.send(request)
    wait_until_it_is_started_again(supervisor, starts)
    assert served.answers(era) == MEANT
    assert supervisor.starts == starts + 1


def test_of_many_callers_each_has_its_answer_at_once_or_by_a_retry(
    served: Served, supervisor: Supervisor, starts: int
) -> None:
    process = supervisor.process

    def ask(number: int) -> str | None:
        with new_client() as client:
            try:
                response = post_call(client, served.address, ERAS[number % 2], lookup(f"{PHRASE} {number}"))
            except LOST:
                return None
            process.kill()
            return capability_in(response)

    with ThreadPoolExecutor(CALLERS) as pool:
        answers = list(pool.map(ask, range(CALLERS)))
    assert None in answers
    wait_until_it_is_started_again(supervisor, starts)
    again = [served.answers(ERAS[0], f"{PHRASE} {number}") for number in range(CALLERS)]
    assert all(answer in (None, retried) for answer, retried in zip(answers, again, strict=True))
    assert set(again) == {MEANT}
    assert supervisor.starts == starts + 1


@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
async def test_a_client_of_the_sdk_is_told_of_the_connection(
    served: Served, supervisor: Supervisor, starts: int, mode: str
) -> None:
    async def hold_and_kill(request: httpx2.Request) -> None:
        if b"tools/call" in request.content:
            hold(supervisor)
            kill(supervisor)

    async with httpx2.AsyncClient(timeout=SECONDS, event_hooks={"request": [hold_and_kill]}) as http:
        with pytest.RaisesGroup(httpx2.TransportError, allow_unwrapped=True, flatten_subgroups=True):
            async with Client(streamable_http_client(served.address, http_client=http), mode=mode) as client:
                with anyio.fail_after(SECONDS):
                    await client.call_tool(TOOL, lookup()["arguments"])
    wait_until_it_is_started_again(supervisor, starts)
    assert served.answers(ERAS[0]) == MEANT
    assert supervisor.starts == starts + 1
