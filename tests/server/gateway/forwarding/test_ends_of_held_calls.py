"""How calls end while they are held, or while a request waits for them again."""

import asyncio
import contextlib
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import mcp_types as types
import pytest

from server.gateway.forwarding.caller import Caller
from server.gateway.forwarding.held_call import Binding, HeldCall
from server.gateway.forwarding.held_calls import HeldLimits
from server.gateway.upstreams.forwarding import Forwarding
from tests.server.gateway.forwarding.booking import Booking, begin, end, refused, send, serving
from tests.server.gateway.forwarding.fakes import ask, text, text_of

pytestmark = pytest.mark.anyio


async def test_an_expired_call_is_cancelled() -> None:
    booking = Booking()
    async with serving(booking, HeldLimits(seconds=0.05)) as connect, connect() as client:
        asked = await begin(client)
        await asyncio.wait_for(booking.cancelled.wait(), 2)
        assert "no longer held" in refused(await end(client, asked, "Lisbon"))


async def test_a_cancelled_call_keeps_nobody_waiting() -> None:
    caller = cast("Caller", SimpleNamespace(request=None, forwarding=Forwarding))
    call = HeldCall(Binding(None, "book", ""), caller)
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        tasks.create_task(call.run(lambda _: asyncio.sleep(60)))
        waiting = tasks.create_task(call.wait())
        await asyncio.sleep(0.01)
        call.cancel()
        await waiting


async def test_a_resumed_call_does_not_expire() -> None:
    began = asyncio.Event()

    async def slow(forward: Forwarding, _: str, __: Mapping[str, Any]) -> types.CallToolResult:
        await ask(forward)
        began.set()
        await asyncio.sleep(0.3)
        return text("done")

    booking = Booking()
    booking.upstream.script = slow
    async with serving(booking, HeldLimits(seconds=0.15)) as connect, connect() as client:
        asked = await begin(client)
        assert text_of(await end(client, asked, "Lisbon")) == "done"


async def test_a_result_that_comes_while_the_call_is_held_is_kept() -> None:
    gone = asyncio.Event()

    async def impatient(forward: Forwarding, _: str, __: Mapping[str, Any]) -> types.CallToolResult:
        try:
            async with asyncio.timeout(0.1):
                await ask(forward)
        except TimeoutError:
            gone.set()
        return text("booked without an answer")

    booking = Booking()
    booking.upstream.script = impatient
    async with serving(booking) as connect, connect() as client:
        asked = await begin(client)
        await gone.wait()
        assert text_of(await end(client, asked, "Lisbon")) == "booked without an answer"


async def test_a_question_that_the_upstream_took_back_is_not_asked_again() -> None:
    second = asyncio.Event()

    async def impatient(forward: Forwarding, _: str, __: Mapping[str, Any]) -> types.CallToolResult:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.1):
                await ask(forward)
        second.set()
        return text((await ask(forward)).action)

    booking = Booking()
    booking.upstream.script = impatient
    async with serving(booking) as connect, connect() as client:
        first = await begin(client)
        await second.wait()
        again = await begin(client, request_state=first.request_state)
        assert (list(first.input_requests or {}), list(again.input_requests or {})) == (["question-1"], ["question-2"])


async def test_a_call_that_asks_beyond_the_limit_is_cancelled() -> None:
    cases: list[HeldLimits] = [HeldLimits(per_caller=1), HeldLimits(in_all=1)]
    for limits in cases:
        booking = Booking()
        async with serving(booking, limits) as connect, connect() as client:
            await begin(client)
            result = await send(client)
            assert isinstance(result, types.CallToolResult), limits
            assert "wait for answers already" in refused(result), limits
            await asyncio.wait_for(booking.cancelled.wait(), 2)


async def test_one_callers_held_calls_do_not_count_for_another() -> None:
    async with serving(Booking(), HeldLimits(per_caller=1)) as connect, connect("a") as one, connect("b") as other:
        await begin(one)
        asked = await begin(other)
        assert text_of(await end(other, asked, "Porto")) == "Porto"


async def test_cancelling_a_resumed_request_cancels_the_call() -> None:
    booking = Booking(rounds=2)
    async with serving(booking) as connect, connect() as client:
        waiting = asyncio.Event()

        async def stuck(forward: Forwarding, _: str, __: Mapping[str, Any]) -> types.CallToolResult:
            await ask(forward)
            waiting.set()
            try:
                await asyncio.sleep(60)
            finally:
                booking.cancelled.set()
            return text("never")

        booking.upstream.script = stuck
        asked = await begin(client)
        request = asyncio.create_task(end(client, asked, "Lisbon"))
        await waiting.wait()
        request.cancel()
        await asyncio.wait_for(booking.cancelled.wait(), 2)


async def test_the_end_of_the_gateway_cancels_held_calls() -> None:
    booking = Booking()
    async with serving(booking) as connect, connect() as client:
        await begin(client)
        assert not booking.cancelled.is_set()
    assert booking.cancelled.is_set()
