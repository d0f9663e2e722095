"""A booking upstream that asks questions, and callers of 2026-07-28 that answer them by hand."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
from mcp import Client
from mcp.client._memory import InMemoryTransport

from server.errors import Parts
from server.gateway.forwarding.held_calls import DEFAULT_HELD, HeldCalls, HeldLimits
from server.gateway.upstreams.forwarding import Forwarding
from server.toolset.toolset import identity
from tests.server.gateway.forwarding.fakes import FakeSource, FakeUpstream, ask, gateway, text, text_of

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
