"""Messages that a server sends to one client, in the order in which it is sent."""

from types import TracebackType
from typing import Final, Self

import anyio
from mcp.client._memory import InMemoryTransport
from mcp.client._transport import ReadStream, TransportStreams
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification

LIST_CHANGED: Final = "notifications/tools/list_changed"


class Wire(InMemoryTransport):
    """A connection in memory: whatever is sent before an answer is in `notified` when the answer is there."""

    notified: list[str]

    async def __aenter__(self) -> TransportStreams:
        read, write = await super().__aenter__()
        self.notified = []
        return _Recorded(read, self.notified), write


class _Recorded:
    def __init__(self, stream: ReadStream[SessionMessage | Exception], notified: list[str]) -> None:
        self._stream = stream
        self._notified = notified

    async def receive(self) -> SessionMessage | Exception:
        item = await self._stream.receive()
        if isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCNotification):
            self._notified.append(item.message.method)
        return item

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
