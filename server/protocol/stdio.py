"""Serving one client over standard input and output."""

import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from server.stopping import leave

logger = logging.getLogger(__name__)


@asynccontextmanager
async def _nothing() -> AsyncIterator[None]:
    yield


def run_stdio(server: Server[Any], around: Callable[[], AbstractAsyncContextManager[None]] = _nothing) -> None:
    """Serve until the client closes the stream.

    Args:
        server: the MCP server.
        around: is open while it is served.

    If answers can no longer be written, this ends the process at once: a thread may still wait for the client's next
    line, and a normal exit would wait for that thread.
    """
    try:
        anyio.run(_serve, server, around)
    except* BrokenPipeError:
        # The client has left.
        leave(0)
    except* OSError as errors:
        logger.error("standard output cannot be written to: %s; start the server again", errors.exceptions[0])
        leave(1)
    except* Exception:
        logger.exception("serving over standard input and output failed")
        leave(1)


async def _serve(server: Server[Any], around: Callable[[], AbstractAsyncContextManager[None]]) -> None:
    async with around(), stdio_server(stdin=_input_lines()) as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _input_lines() -> "_Lines":
    """Return the lines of standard input; everything else in this process sees an empty standard input from now on."""
    own = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return _Lines(os.fdopen(own, encoding="utf-8", errors="replace"))


class _Lines(anyio.AsyncFile[str]):
    """Lines of a file. When serving ends, it stops waiting for the next line."""

    async def readline(self) -> str:
        return await anyio.to_thread.run_sync(self.wrapped.readline, abandon_on_cancel=True)
