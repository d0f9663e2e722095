"""Calls that are held open while a caller of 2026-07-28 answers an upstream's questions."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.client._memory import InMemoryTransport

from server.errors import Parts
from server.gateway.forwarding.held_calls import DEFAULT_HELD, HeldCalls, HeldLimits
from server.gateway.upstreams.forwarding import Forwarding
from server.toolset.toolset import identity
from tests.server.gateway.forwarding.fakes import FakeSource, FakeUpstream, ask, gateway, text, text_of

pytestmark = pytest.mark.anyio

ARGUMENTS = {"seats": 2}


async def ask_after(forward: Forwarding, seconds: float) -> types.ElicitResult:
    await asyncio.sleep(seconds)
    return await ask(forward)


class Booking:
    """An upstream whose tool asks `rounds` times `at_once` questions; it notes how its calls ended."""

    def __init__(self, rounds: int = 1, at_once: int = 1) -> None:
        self.rounds, self.at_once = rounds, at_once
        self.cancelled = asyncio.Event()
        self.upstream = FakeUpstream(script=self.book)

    async def book(self, forward: Forwarding, _: str, __: Mapping[str, Any]) -> types.CallToolResult:
        answers: list[types.ElicitResult] = []
        try:
            for _round in range(self.rounds):
                answers += await asyncio.gather(*(ask_after(forward, 0.002 * turn) for turn in range(self.at_once)))
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        if forward.progress:
            await forward.progress(1.0, 1.0, "booked")
        return text(" ".join(str((answer.content or {}).get("city")) for answer in answers))


async def unused(context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
    """Declares elicitation; the tests answer by themselves."""
    raise AssertionError


@asynccontextmanager
async def serving(booking: Booking, limits: HeldLimits = DEFAULT_HELD) -> AsyncIterator[Any]:
    """Connects clients by name to one gateway."""
    async with HeldCalls(identity, limits) as held:
        server = gateway(FakeSource([booking.upstream]), held)

        def client(name: str = "host") -> Client:
            info = types.Implementation(name=name, version="1")
            return Client(InMemoryTransport(server), mode="auto", elicitation_callback=unused, client_info=info)

        yield client


async def begin(client: Client, **more: Any) -> types.InputRequiredResult:
    result = await send(client, **more)
    assert isinstance(result, types.InputRequiredResult)
    return result


async def send(
    client: Client, name: str = "book", arguments: dict[str, Any] = ARGUMENTS, **more: Any
) -> types.CallToolResult | types.InputRequiredResult:
    result: types.CallToolResult | types.InputRequiredResult = await client.session.call_tool(
        name, arguments, allow_input_required=True, **more
    )
    return result


async def end(client: Client, asked: types.InputRequiredResult, *cities: str, **more: Any) -> types.CallToolResult:
    result = await send(client, input_responses=answers(asked, *cities), request_state=asked.request_state, **more)
    assert isinstance(result, types.CallToolResult)
    return result


def answers(asked: types.InputRequiredResult, *cities: str) -> types.InputResponses:
    keys = list(asked.input_requests or {})
    return {
        key: types.ElicitResult(action="accept", content={"city": city})
        for key, city in zip(keys, cities, strict=False)
    }


def refused(result: types.CallToolResult) -> str:
    assert result.is_error
    message = text_of(result)
    assert str(Parts.of(message)) == message
    return message


async def test_the_answer_resumes_the_call_without_a_second_one() -> None:
    booking = Booking()
    async with serving(booking) as connect, connect() as client:
        asked = await begin(client)
        assert text_of(await end(client, asked, "Lisbon")) == "Lisbon"
    assert booking.upstream.calls == ["book"]


async def test_a_call_can_ask_in_several_rounds() -> None:
    async with serving(Booking(rounds=2)) as connect, connect() as client:
        first = await begin(client)
        second = await begin(client, input_responses=answers(first, "Lisbon"), request_state=first.request_state)
        assert text_of(await end(client, second, "Porto")) == "Lisbon Porto"


async def test_questions_asked_together_are_answered_in_one_round() -> None:
    async with serving(Booking(at_once=3)) as connect, connect() as client:
        asked = await begin(client)
        assert len(asked.input_requests or {}) == 3
        assert text_of(await end(client, asked, "Lisbon", "Porto", "Faro")) == "Lisbon Porto Faro"


async def test_a_question_left_open_is_asked_again() -> None:
    async with serving(Booking(at_once=2)) as connect, connect() as client:
        first = await begin(client)
        again = await begin(client, input_responses=answers(first, "Lisbon"), request_state=first.request_state)
        assert list(again.input_requests or {}) == list(first.input_requests or {})[1:]
        assert text_of(await end(client, again, "Porto")) == "Lisbon Porto"


async def test_progress_goes_to_the_request_that_waits_now() -> None:
    seen: list[str | None] = []

    async def before(progress: float, total: float | None, message: str | None) -> None:
        seen.append("first request")

    async def now(progress: float, total: float | None, message: str | None) -> None:
        seen.append(message)

    async with serving(Booking()) as connect, connect() as client:
        asked = await begin(client, progress_callback=before)
        await end(client, asked, "Lisbon", progress_callback=now)
    assert seen == ["booked"]


async def test_a_state_is_good_for_one_request() -> None:
    async with serving(Booking()) as connect, connect() as client:
        asked = await begin(client)
        await end(client, asked, "Lisbon")
        assert "no longer held" in refused(await end(client, asked, "Lisbon"))


async def test_the_state_of_an_earlier_round_is_refused_while_the_call_is_held() -> None:
    async with serving(Booking(rounds=2)) as connect, connect() as client:
        first = await begin(client)
        second = await begin(client, input_responses=answers(first, "Lisbon"), request_state=first.request_state)
        assert "no longer held" in refused(await end(client, first, "Faro"))
        assert text_of(await end(client, second, "Porto")) == "Lisbon Porto"


async def test_an_unknown_state_never_calls_the_upstream() -> None:
    booking = Booking()
    async with serving(booking) as connect, connect() as client:
        result = await send(client, request_state="of another process")
    assert isinstance(result, types.CallToolResult)
    assert "no longer held" in refused(result)
    assert booking.upstream.calls == []


async def test_answers_without_a_state_never_call_the_upstream() -> None:
    booking = Booking()
    async with serving(booking) as connect, connect() as client:
        result = await send(client, input_responses={"question-1": types.ElicitResult(action="decline")})
    assert isinstance(result, types.CallToolResult)
    assert "no longer held" in refused(result)
    assert booking.upstream.calls == []


async def test_another_callers_state_is_refused() -> None:
    async with serving(Booking()) as connect, connect("host") as client, connect("thief") as thief:
        asked = await begin(client)
        assert "belongs to another call" in refused(await end(thief, asked, "Faro"))


async def test_a_refused_state_leaves_the_call_to_its_caller() -> None:
    async with serving(Booking()) as connect, connect("host") as client, connect("thief") as thief:
        asked = await begin(client)
        await end(thief, asked, "Faro")
        assert text_of(await end(client, asked, "Lisbon")) == "Lisbon"


@pytest.mark.parametrize("change", [{"name": "cancel"}, {"arguments": {"seats": 3}}])
async def test_a_state_is_refused_for_another_tool_or_other_arguments(change: dict[str, Any]) -> None:
    async with serving(Booking()) as connect, connect() as client:
        asked = await begin(client)
        assert "belongs to another call" in refused(await end(client, asked, "Lisbon", **change))


async def test_states_are_never_alike() -> None:
    async with serving(Booking()) as connect, connect() as client:
        states = {(await begin(client)).request_state or "" for _ in range(4)}
    assert len(states) == 4
    assert min(map(len, states)) >= 43


async def test_an_expired_call_is_cancelled() -> None:
    booking = Booking()
    async with serving(booking, HeldLimits(seconds=0.05)) as connect, connect() as client:
        asked = await begin(client)
        await asyncio.wait_for(booking.cancelled.wait(), 2)
        assert "no longer held" in refused(await end(client, asked, "Lisbon"))


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


@pytest.mark.parametrize("limits", [HeldLimits(per_caller=1), HeldLimits(in_all=1)])
async def test_a_call_that_asks_beyond_the_limit_is_cancelled(limits: HeldLimits) -> None:
    booking = Booking()
    async with serving(booking, limits) as connect, connect() as client:
        await begin(client)
        result = await send(client)
        assert isinstance(result, types.CallToolResult)
        assert "wait for answers already" in refused(result)
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


async def test_reading_a_resource_can_ask_too() -> None:
    booking = Booking()
    async with serving(booking) as connect, connect() as client:
        asked = await client.session.read_resource("gateway://travel/ask:", allow_input_required=True)
        assert isinstance(asked, types.InputRequiredResult)
        read = await client.session.read_resource(
            "gateway://travel/ask:",
            input_responses=answers(asked, "Lisbon"),
            request_state=asked.request_state,
            allow_input_required=True,
        )
    assert isinstance(read, types.ReadResourceResult)
    assert [getattr(part, "text", None) for part in read.contents] == ["accept"]
