"""Which request a server's message belongs to."""

from typing import cast

import anyio
import mcp_types as types
import pytest
from mcp.client.session import ClientRequestContext

from server.gateway.upstreams.forwarding import Forwarding, Running, RunningRequests

pytestmark = pytest.mark.anyio

QUESTION = types.ElicitRequestFormParams(message="Which?", requested_schema={"type": "object", "properties": {}})


def caller(name: str) -> Forwarding:
    async def elicit(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"by": name})

    return Forwarding(elicit=elicit)


async def who_answers(requests: RunningRequests) -> object:
    answer = await requests.elicit(cast("ClientRequestContext", None), QUESTION)
    assert isinstance(answer, types.ElicitResult)
    return (answer.content or {}).get("by", answer.action)


async def with_two_requests(requests: RunningRequests) -> object:
    """Return who answers a message that comes outside of both requests."""
    found: list[object] = []

    async def hold(name: str) -> None:
        with requests.running(Running(caller(name), 60, 60)):
            await anyio.sleep_forever()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(hold, "first")
        tasks.start_soon(hold, "second")
        await anyio.wait_all_tasks_blocked()
        found.append(await who_answers(requests))
        tasks.cancel_scope.cancel()
    return found[0]


async def test_the_newest_request_is_asked_unless_it_may_be_another_callers() -> None:
    assert await with_two_requests(RunningRequests()) == "second"
    assert await with_two_requests(RunningRequests(several_callers=True)) == "decline"
    requests = RunningRequests(several_callers=True)
    with requests.running(Running(caller("one"), 60, 60)):
        assert await who_answers(requests) == "one"
    assert await who_answers(RunningRequests()) == "decline"


async def test_progress_extends_the_time_limit() -> None:
    running = Running(Forwarding(), 60, 600)
    before = running.scope.deadline
    await anyio.sleep(0.001)
    await running.progressed(1, 2, None)
    assert running.scope.deadline > before


async def test_a_request_that_has_ended_is_not_asked() -> None:
    requests, ended, found = RunningRequests(), anyio.Event(), []

    async def ask_later() -> None:
        await ended.wait()
        found.append(await who_answers(requests))

    async with anyio.create_task_group() as tasks:
        with requests.running(Running(caller("one"), 60, 60)):
            tasks.start_soon(ask_later)
        ended.set()
    assert found == ["decline"]
