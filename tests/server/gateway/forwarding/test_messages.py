"""Progress and log messages of an upstream during a call."""

import asyncio
from collections.abc import Mapping
from typing import Any

import mcp_types as types
import pytest

from server.gateway.forwarding.caller import passed_meta
from server.gateway.upstreams.forwarding import Forwarding
from tests.server.gateway.forwarding.fakes import SECRET, FakeUpstream, connected, text, text_of

pytestmark = pytest.mark.anyio


async def report(forward: Forwarding, name: str, _: Mapping[str, Any]) -> types.CallToolResult:
    assert forward.progress is not None
    await forward.progress(1.0, 2.0, "half")
    return text(name)


def logs(*messages: tuple[types.LoggingLevel, Any]) -> FakeUpstream:
    async def log(forward: Forwarding, _: str, __: Mapping[str, Any]) -> types.CallToolResult:
        for level, data in messages:
            if forward.log:
                await forward.log(types.LoggingMessageNotificationParams(level=level, data=data, logger="db"))
        return text(str(forward.log_level))

    return FakeUpstream(script=log)


class Received:
    """Log messages that the client got."""

    def __init__(self) -> None:
        self.messages: list[types.LoggingMessageNotificationParams] = []

    async def __call__(self, params: types.LoggingMessageNotificationParams) -> None:
        self.messages.append(params)

    async def levels(self) -> list[str]:
        await asyncio.sleep(0.05)
        return [message.level for message in self.messages]


async def test_progress_reaches_a_caller_that_asked_for_it() -> None:
    seen: list[tuple[float, float | None, str | None]] = []

    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    async with connected(FakeUpstream(script=report)) as client:
        await client.call_tool("book", {}, progress_callback=progressed)
        await asyncio.sleep(0.05)
    assert seen == [(1.0, 2.0, "half")]


async def test_no_progress_is_sent_to_a_caller_without_a_token() -> None:
    seen: list[object] = []

    async def received(message: object) -> None:
        seen.append(message)

    async with connected(FakeUpstream(script=report), message_handler=received) as client:
        await client.call_tool("book", {})
        await asyncio.sleep(0.05)
    assert seen == []


async def test_a_legacy_caller_gets_log_messages_of_every_level() -> None:
    received = Received()
    upstream = logs(("debug", "small"), ("error", "large"))
    async with connected(upstream, mode="legacy", logging_callback=received) as client:
        await client.call_tool("book", {})
        assert await received.levels() == ["debug", "error"]


@pytest.mark.filterwarnings("ignore:The logging capability is deprecated")
async def test_a_legacy_caller_gets_log_messages_from_the_level_that_it_set() -> None:
    received = Received()
    upstream = logs(("info", "small"), ("error", "large"))
    async with connected(upstream, mode="legacy", logging_callback=received) as client:
        await client.set_logging_level("warning")
        assert text_of(await client.call_tool("book", {})) == "warning"
        assert await received.levels() == ["error"]


async def test_a_modern_caller_gets_the_log_messages_that_it_asked_for() -> None:
    received = Received()
    upstream = logs(("error", "large"))
    async with connected(upstream, mode="auto", logging_callback=received) as client:
        assert text_of(await client.call_tool("book", {})) == "None"
        assert await received.levels() == []
    received = Received()
    upstream = logs(("info", "small"), ("warning", "middle"), ("error", "large"))
    async with connected(upstream, mode="auto", logging_callback=received, log_level="warning") as client:
        assert text_of(await client.call_tool("book", {})) == "warning"
        assert await received.levels() == ["warning", "error"]


async def test_a_log_message_names_its_server_and_shows_no_secret() -> None:
    received = Received()
    async with connected(logs(("error", "x")), logging_callback=received, log_level="debug") as client:
        await client.call_tool("book", {})
        await received.levels()
    assert [message.logger for message in received.messages] == ["travel/db"]
    received = Received()
    upstream = logs(("error", {"header": [f"Bearer {SECRET}"], "tries": 3}))
    async with connected(upstream, logging_callback=received, log_level="debug") as client:
        await client.call_tool("book", {})
        await received.levels()
    assert [message.data for message in received.messages] == [{"header": ["Bearer [secret]"], "tries": 3}]


async def test_a_cancelled_request_cancels_the_upstream_call() -> None:
    began, cancelled = asyncio.Event(), asyncio.Event()

    async def wait(_: Forwarding, __: str, ___: Mapping[str, Any]) -> types.CallToolResult:
        began.set()
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.set()
        return text("never")

    async def answer(context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        return types.ElicitResult(action="accept")

    async with connected(FakeUpstream(script=wait), elicitation_callback=answer) as client:
        request = asyncio.create_task(client.call_tool("book", {}))
        await began.wait()
        request.cancel()
        await asyncio.wait_for(cancelled.wait(), 2)


def test_what_the_protocol_reserves_in_meta_stays_with_the_gateway() -> None:
    meta = {"progress_token": 1, "io.modelcontextprotocol/logLevel": "info", "dev.mcp/x": 1, "traceparent": "00-1"}
    assert passed_meta(meta) == {"traceparent": "00-1"}
    assert passed_meta({"progressToken": 1}) is None
