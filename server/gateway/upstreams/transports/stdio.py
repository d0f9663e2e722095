"""An upstream in a process of its own, over its standard input and output."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.os.win32.utilities import ServerProcess
from mcp.shared.message import SessionMessage

from server.errors import brief
from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.upstreams.transports import processes
from server.gateway.upstreams.transports.messages import Lines, LongLine, read_message
from server.gateway.upstreams.transports.noise import Noise

Received = MemoryObjectSendStream[SessionMessage | Exception]

_BROKEN: Final = (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream, OSError)
_WAITING: Final = 64
"""Messages that wait for a process that does not read."""
_LOOK: Final = 0.25
"""Seconds between looks whether a process lives."""
_LAST_WORDS: Final = 0.5
"""Seconds for the status and the last lines of a process that closed its output."""
_STDERR_LINE: Final = 1 << 16


class StdioTransport:
    """Starts a server and exchanges a JSON-RPC message a line with it.

    Attributes:
        why: why the connection ended, once it has.
    """

    def __init__(self, config: UpstreamConfig, most: int):
        self.why = ""
        self._config, self._most = config, most
        self._noise = Noise(config.name, config.secrets)
        self._garbage = 0

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[TransportStreams]:
        """Start the process; when the context is left, it and its children end within five seconds.

        Raises:
            OSError: it cannot be started.
        """
        process = await processes.start(self._config)
        received, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, sent = anyio.create_memory_object_stream[SessionMessage](_WAITING)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._receive, process, received)
            tasks.start_soon(self._send, process, sent, received)
            tasks.start_soon(self._watch, process, received)
            if process_errors := getattr(process, "stderr", None):
                tasks.start_soon(self._follow_errors, process_errors)
            try:
                yield read, write
            finally:
                with anyio.CancelScope(shield=True):
                    # The reader goes on without delivering, so that a process that writes can end.
                    read.close()
                    write.close()
                    await processes.stop(process)
                tasks.cancel_scope.cancel()
                for stream in (received, read, write, sent):
                    stream.close()

    async def _receive(self, process: ServerProcess, received: Received) -> None:
        lines = Lines(self._most)
        with suppress(*_BROKEN):
            while process.stdout:
                for line in lines.feed(await process.stdout.receive()):
                    await self._deliver(line, received)
                    # The next line may be long in coming.
                    del line
        self.why = self.why or await self._last_words(process)
        received.close()

    async def _deliver(self, line: bytes | LongLine, received: Received) -> None:
        message = read_message(line, self._most)
        if message is None:
            self._note_garbage(line)
            return
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            await received.send(message)

    async def _send(
        self, process: ServerProcess, sent: MemoryObjectReceiveStream[SessionMessage], received: Received
    ) -> None:
        try:
            async for message in sent:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                if process.stdin:
                    await process.stdin.send(text.encode() + b"\n")
        except _BROKEN:
            self.why = self.why or await self._last_words(process)
            received.close()

    async def _watch(self, process: ServerProcess, received: Received) -> None:
        """Notice the end of a process whose children hold its output open."""
        while process.returncode is None:
            await anyio.sleep(_LOOK)
        # What it wrote before is still read.
        await anyio.sleep(_LOOK)
        self.why = self.why or await self._last_words(process)
        received.close()

    async def _follow_errors(self, stream: anyio.abc.ByteReceiveStream) -> None:
        lines = Lines(_STDERR_LINE)
        with suppress(*_BROKEN):
            while True:
                for line in lines.feed(await stream.receive()):
                    self._noise.note(_shown(line))

    def _note_garbage(self, line: bytes | LongLine) -> None:
        text = _shown(line)
        if text.strip() and not self._garbage:
            self._noise.note(f"{text} (no message; such lines are skipped)", "stdout")
        self._garbage += 1

    async def _last_words(self, process: ServerProcess) -> str:
        with anyio.move_on_after(_LAST_WORDS):
            while process.returncode is None:
                await anyio.sleep(0.01)
            await anyio.sleep(0.05)
        status = process.returncode
        ended = "its process closed its output" if status is None else f"its process ended with status {status}"
        return f"{ended}, after writing {brief(self._noise.last[-1])}" if self._noise.last else ended


def _shown(line: bytes | LongLine) -> str:
    """A line for the log, which redacts it before it cuts it; a part of a secret would not be recognized."""
    return f"a line of {line.size} bytes" if isinstance(line, LongLine) else line.decode(errors="replace")
