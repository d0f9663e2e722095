"""An upstream in a process of its own, over its standard input and output."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import cache
from typing import Any, Final, cast

import anyio
from anyio.abc import Process
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.client.stdio import get_default_environment
from mcp.os.posix.utilities import terminate_posix_process_tree
from mcp.os.win32.utilities import (
    ServerProcess,
    close_process_job,
    create_windows_process,
    get_windows_executable_command,
    terminate_windows_process_tree,
)
from mcp.shared.message import SessionMessage

from server.errors import brief
from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.upstreams.message_costs import Pace
from server.gateway.upstreams.messages import Lines, LongLine, read_message
from server.gateway.upstreams.noise import Noise
from server.stopping import before_leaving

_TO_END: Final = 2.0
_TO_TERMINATE: Final = 1.5
_TO_KILL: Final = 1.0
"""Seconds after its input closes, after SIGTERM, and after SIGKILL."""

_INHERITED: Final = frozenset(
    {
        "ALL_PROXY",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "NODE_EXTRA_CA_CERTS",
        "NO_PROXY",
        "REQUESTS_CA_BUNDLE",
        "SSL_CERT_DIR",
        "SSL_CERT_FILE",
        "TMPDIR",
        "TZ",
        "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_RUNTIME_DIR",
    }
)
"""Variables that servers get beside the SDK's safe ones: without them they often cannot be installed or started."""

_running: Final[set[int]] = set()


async def start(config: UpstreamConfig) -> ServerProcess:
    """Start an upstream's process.

    Raises:
        OSError: it cannot be started.
        ValueError: a part of the command holds a null character.
    """
    _end_with_us()
    command = config.command or ""
    if sys.platform == "win32":  # pragma: no cover
        command = await anyio.to_thread.run_sync(get_windows_executable_command, command)
        return await create_windows_process(
            command, list(config.args), _environment(config), cast("Any", subprocess.PIPE), config.cwd
        )
    process = await anyio.open_process(
        [command, *config.args],
        stderr=subprocess.PIPE,
        env=_environment(config),
        cwd=config.cwd,
        start_new_session=True,
    )
    _running.add(process.pid)
    return process


async def stop(process: ServerProcess) -> None:
    """End a process and its children within five seconds: close its input, wait, terminate, kill."""
    with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        if process.stdin:
            await process.stdin.aclose()
    await _ended(process, _TO_END)
    if sys.platform == "win32":  # pragma: no cover
        await terminate_windows_process_tree(process)
        close_process_job(process)
    else:
        # Also after it has ended by itself: its children may live on.
        await terminate_posix_process_tree(cast("Process", process), _TO_TERMINATE)
    await _ended(process, _TO_KILL)
    _running.discard(process.pid)
    for stream in (process.stdout, getattr(process, "stderr", None)):
        with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            if stream:
                await stream.aclose()
    _close_transport(process)


def end_processes() -> None:
    """End all running upstreams without an event loop, before this process ends at once."""
    for signal_name in ("SIGTERM", "SIGKILL"):
        for pid in list(_running):
            with suppress(OSError, AttributeError):
                os.killpg(pid, getattr(signal, signal_name))
        until = time.monotonic() + _TO_TERMINATE
        while any(_group_lives(pid) for pid in _running) and time.monotonic() < until:
            time.sleep(0.02)


def _group_lives(pid: int) -> bool:
    with suppress(OSError):
        os.waitpid(pid, os.WNOHANG)
    try:
        os.killpg(pid, 0)
    except (OSError, AttributeError):
        return False
    return True


@cache
def _end_with_us() -> None:
    before_leaving(end_processes)


def _environment(config: UpstreamConfig) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name.upper() in _INHERITED}
    return get_default_environment() | inherited | dict(config.env)


async def _ended(process: ServerProcess, seconds: float) -> None:
    """Wait for the process's end; `wait` of asyncio would also wait for children that hold its output open."""
    with anyio.move_on_after(seconds):
        while process.returncode is None:
            await anyio.sleep(0.01)


def _close_transport(process: ServerProcess) -> None:
    """Close asyncio's transport, which a child that holds a pipe open would keep, and which warns when collected."""
    transport = getattr(getattr(process, "_process", None), "_transport", None)
    if callable(close := getattr(transport, "close", None)):
        with suppress(PermissionError):
            close()


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
        self._pace = Pace()

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[TransportStreams]:
        """Start the process; when the context is left, it and its children end within five seconds.

        Raises:
            OSError: it cannot be started.
        """
        process = await start(self._config)
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
                    await stop(process)
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
            await self._pace.turn()
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
    """Return a line for the log, which redacts it before it cuts it; a part of a secret would not be recognized."""
    return f"a line of {line.size} bytes" if isinstance(line, LongLine) else line.decode(errors="replace")
