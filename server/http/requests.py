"""Ids of HTTP requests, so that what a caller saw can be found in the log, and what became of each."""

import re
import time
import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER: Final = "X-Request-Id"

_KEY: Final = "agent-capabilities.request-id"
_USABLE: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
"""An id that a proxy or client gives is taken over when it cannot break a log line."""


@dataclass(frozen=True)
class HttpObservation:
    """One HTTP request.

    Attributes:
        request: its id.
        status: of the response; 0 when there was none, as the client had gone.
        seconds: it took.
    """

    request: str
    status: int
    seconds: float


HttpObserver = Callable[[HttpObservation], None]


def request_id(scope: Scope) -> str | None:
    """The id of a request; None when it did not come through `HttpRequests`."""
    found: str | None = scope.get(_KEY)
    return found


class HttpRequests:
    """Gives every request an id, which goes back in its response, and tells observers of its status."""

    def __init__(self, app: ASGIApp, *, observers: Sequence[HttpObserver], untold: Collection[str] = ()) -> None:
        """Stand before `app`; nobody is told of requests for the paths `untold`, which supervisors make all day."""
        self._app = app
        self._observers = observers
        self._untold = untold

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(HEADER, "")
        own = given if _USABLE.fullmatch(given) else uuid.uuid4().hex
        status, start = 0, time.perf_counter()

        gone = False

        async def watched() -> Message:
            nonlocal gone
            message = await receive()
            # Whatever is sent from here on reaches nobody.
            gone = gone or (message["type"] == "http.disconnect" and not status)
            return message

        async def named(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = own
            await send(message)

        # In this scope and no copy of it: what stands before this answers for faults, and names the request, too.
        scope[_KEY] = own
        try:
            await self._app(scope, watched, named)
        except Exception:
            status = status or 500
            raise
        finally:
            for observer in () if scope["path"] in self._untold else self._observers:
                observer(HttpObservation(own, 0 if gone else status, time.perf_counter() - start))
