"""Answers are worked out in threads, so that neither the page nor MCP waits for another request's answer."""

from collections.abc import Callable, Iterable
from typing import Final

import anyio
from starlette.requests import ClientDisconnect, Request

from server.protocol.worker_threads import WorkerThreads
from server.web.refusals import RefusedError

QUICK: Final = "quick"
"""The lane of answers that take milliseconds; every slow kind of answer has a lane of its own."""


class Lanes:
    """Threads by lane. They are not MCP's, so many requests of the page leave MCP's free."""

    def __init__(self, quick: int, slow: Iterable[str]) -> None:
        """Work on up to `quick` quick answers at a time, and on one in each of the lanes `slow`."""
        self._threads = {lane: WorkerThreads(1) for lane in slow} | {QUICK: WorkerThreads(quick)}

    async def run(self, request: Request, lane: str, work: Callable[[], bytes]) -> bytes | None:
        """What `work` returns; None if the client went away meanwhile, and what still waits in line is then dropped.

        Raises:
            Exception: what `work` raises.
        """
        answer: bytes | None = None
        failure: Exception | None = None
        async with anyio.create_task_group() as group:
            group.start_soon(_cancel_when_gone, request, group.cancel_scope)
            try:
                answer = await self._threads[lane].run(work)
            except Exception as error:  # Raised below, where no group wraps it.
                failure = error
            group.cancel_scope.cancel()
        if failure:
            raise failure
        return answer


async def _cancel_when_gone(request: Request, scope: anyio.CancelScope) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


async def read_body(request: Request, most: int) -> bytes:
    """The body of a request.

    Raises:
        RefusedError: it has more than `most` bytes, or its sender went away.
    """
    content = bytearray()
    try:
        async for chunk in request.stream():
            content += chunk
            if len(content) > most:
                raise RefusedError(
                    413,
                    f"the request has a body of more than {most:,} bytes; this server reads at most that many; send "
                    "fewer",
                    {"Connection": "close"},
                )
    except ClientDisconnect:
        raise RefusedError(400, "the request ended within its body; a body is sent whole; send it again") from None
    return bytes(content)
