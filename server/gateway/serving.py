"""Serves a gateway over standard input and output, or as an HTTP application."""

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import anyio
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from server.gateway.gateway import Gateway
from server.http.health import health_checks
from server.protocol.stdio import run_stdio
from server.stopping import INTERRUPTED, leave

_STATUSES: Final = {signal.SIGTERM: 0, signal.SIGINT: INTERRUPTED}


def serve_over_stdio(gateway: Gateway) -> None:
    """Serve until the client closes the stream, or a signal comes; then end the upstreams' processes, and this one."""
    status = 0

    @asynccontextmanager
    async def around() -> AsyncIterator[None]:
        async with gateway.running(), anyio.create_task_group() as group:

            async def stop_on_signal() -> None:
                nonlocal status
                with anyio.open_signal_receiver(*_STATUSES) as signals:
                    async for number in signals:
                        status = _STATUSES[number]
                        serving.cancel()

            group.start_soon(stop_on_signal)
            with anyio.CancelScope() as serving:
                yield
            group.cancel_scope.cancel()

    run_stdio(gateway.server, around)
    # A thread may still wait for the client's next line, or embed; neither is to be waited for.
    leave(status)


def health_routes(gateway: Gateway) -> list[Route]:
    """The health checks; the second says how many servers and tools there are, and what is the matter."""

    async def readyz(_: Request) -> JSONResponse:
        # In a thread, because a store may be asked whether it is there.
        degraded = await anyio.to_thread.run_sync(lambda: gateway.degraded)
        status = {"status": "degraded", **gateway.trouble} if degraded else {"status": "ok"}
        return JSONResponse({**status, **gateway.status}, status_code=503 if degraded else 200)

    return health_checks(readyz)
