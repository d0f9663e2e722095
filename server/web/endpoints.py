"""The page's endpoints, and which family of tools tells the same over MCP."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import anyio
from starlette.requests import ClientDisconnect, Request

from server.errors import CallerError, brief
from server.matching.service import Service
from server.protocol.worker_threads import WorkerThreads
from server.tools.families import CORE
from server.web.refusals import RefusedError

QUICK: Final = "quick"
"""The lane of answers that take milliseconds; every slow kind of answer has a lane of its own."""


class Lanes:
    """Threads by lane. They are not MCP's, so many requests of the page leave MCP's free."""

    def __init__(self, quick: int, slow: Iterable[str]) -> None:
        """Work on up to `quick` quick answers at a time, and on one in each of the lanes `slow`."""
        self._threads = {lane: WorkerThreads(1) for lane in slow} | {QUICK: WorkerThreads(quick)}

    async def run(self, request: Request, lane: str, work: Callable[[], bytes]) -> bytes | None:
        """Run `work` and return its result.

        None if the client went away meanwhile, and what still waits in line is then dropped.

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
    """Return the body of a request.

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


MATCH: Final = "match"
"""The family of the tools that match phrases."""


@dataclass(frozen=True)
class Endpoint:
    """One kind of answer.

    Attributes:
        name: its path below `api/`.
        family: family of tools that a caller must be permitted to use; None permits it to every caller.
        of_agents: whether a catalog of labels has none of it.
        method: of its requests.
        lane: of its work.
    """

    name: str
    family: str | None = MATCH
    of_agents: bool = False
    method: str = "GET"
    lane: str = QUICK

    def check(self, service: Any, families: Sequence[str]) -> None:
        """Check that there is such an answer for a caller.

        Raises:
            RefusedError: the caller may not use the family, or the catalog has no agents.
        """
        if self.family is not None and self.family not in families:
            raise RefusedError(
                403,
                f"api/{self.name} tells what the tools of the family {self.family!r} tell, which this caller may not "
                f"use; permitted: {', '.join(families) or 'none'}; use what is permitted, or ask the server's operator "
                "to change the allowlist",
            )
        if self.of_agents and not isinstance(service, Service):
            raise RefusedError(
                404,
                f"api/{self.name} is about agents; this server serves a catalog of labels, which has none; ask for "
                "api/about to see what there is",
            )


ENDPOINTS: Final = (
    Endpoint("about", family=None),
    Endpoint("match"),
    Endpoint("map", lane="map"),
    Endpoint("label"),
    Endpoint("agents", family=CORE, of_agents=True),
    Endpoint("entry", family=CORE, of_agents=True),
    Endpoint("preflight"),
    Endpoint("coverage", method="POST", lane="coverage"),
)

VIEWS: Final = {"try": "match", "map": "map", "agents": "agents", "health": "preflight"}
"""The page's views in order, each with the endpoint that it cannot do without."""


def views(service: Any, families: Sequence[str]) -> list[str]:
    """Return the views that a caller gets of a catalog."""
    by_name = {endpoint.name: endpoint for endpoint in ENDPOINTS}
    return [view for view, needed in VIEWS.items() if _is_there(by_name[needed], service, families)]


def _is_there(endpoint: Endpoint, service: Any, families: Sequence[str]) -> bool:
    try:
        endpoint.check(service, families)
    except RefusedError:
        return False
    return True


MAX_CANDIDATES: Final = 100
"""Candidates that one answer can hold."""


@dataclass(frozen=True)
class PageRequest:
    """The request of a caller.

    Attributes:
        service: what answers. It is read once, so that one catalog answers the whole request.
        endpoint: name of what is asked for.
        params: parameters of the address.
        families: families of tools that the caller may use.
        body: what was sent along.
    """

    service: Any
    endpoint: str
    params: Mapping[str, str]
    families: Sequence[str] = ()
    body: bytes = b""

    def text(self, name: str, what: str) -> str:
        """Return a parameter that must be given.

        Raises:
            CallerError: it is missing.
        """
        value = self.params.get(name)
        if value is None:
            raise CallerError(
                f"the parameter {name!r} is missing; api/{self.endpoint} needs {what}; add {name}= to the address"
            )
        return value

    def count(self, name: str, default: int) -> int:
        """Return a parameter that is a number of candidates.

        Raises:
            CallerError: it is something else.
        """
        value = self.params.get(name)
        if value is None:
            return default
        if not (len(value) <= 3 and value.isascii() and value.isdecimal() and 1 <= int(value) <= MAX_CANDIDATES):
            raise CallerError(
                f"the parameter {name!r} is {brief(value)}; it must be a whole number from 1 to {MAX_CANDIDATES}; "
                "correct it"
            )
        return int(value)
