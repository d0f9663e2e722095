"""Checks whether web pages still exist: a few requests at a time, and never two at once to the same host."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

import httpx2

from server import package_version

TIMEOUT: Final = 15.0

PAUSE: Final = 0.5
"""Seconds between two requests to the same host."""

MAX_CONCURRENCY: Final = 8

MAX_REDIRECTS: Final = 10

HEAD_REFUSED: Final = (403, 404, 405, 410, 501)
"""Statuses that some servers answer to HEAD for a page that exists; GET is then tried."""

PERMANENT: Final = (301, 308)

GONE: Final = (404, 410)


LinkState = Literal["ok", "moved", "gone", "failed"]


@dataclass(frozen=True)
class Link:
    """The result of checking a page.

    Attributes:
        state: `moved` means that a permanent redirect leads to a page that exists.
        detail: the new address, the status, or the reason for the failure; empty for `ok`.
    """

    state: LinkState
    detail: str = ""


def check_links(addresses: Iterable[str], *, timeout: float = TIMEOUT, pause: float = PAUSE) -> dict[str, Link]:
    """Check every page.

    Args:
        addresses: the pages; duplicates are checked once.
        timeout: seconds for a whole request.
        pause: seconds between two requests to the same host.
    """
    return asyncio.run(_check_all(list(dict.fromkeys(addresses)), timeout, pause))


async def _check_all(addresses: list[str], timeout: float, pause: float) -> dict[str, Link]:
    headers = {"User-Agent": f"agent-capabilities/{package_version()} (link check)"}
    # The client's own timeouts apply to each read, so a page that trickles would never reach them.
    async with httpx2.AsyncClient(headers=headers, timeout=None) as client:
        checker = _Checker(client, timeout, pause)
        return dict(zip(addresses, await asyncio.gather(*map(checker.check, addresses)), strict=True))


class _Checker:
    """Checks pages within limits that all requests share."""

    def __init__(self, client: httpx2.AsyncClient, timeout: float, pause: float) -> None:
        self._client = client
        self._timeout = timeout
        self._pause = pause
        self._slots = asyncio.Semaphore(MAX_CONCURRENCY)
        self._hosts: defaultdict[bytes, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._requested: set[bytes] = set()

    async def check(self, address: str) -> Link:
        """Check a page. Errors of the page or the network are returned as a link that failed."""
        try:
            return await self._follow(httpx2.URL(address))
        except TimeoutError:
            return Link("failed", f"no answer within {self._timeout:g} s")
        # The network layer raises a group for an address that no socket accepts.
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError, ExceptionGroup) as error:
            return Link("failed", str(error) or type(error).__name__)

    async def _follow(self, url: httpx2.URL) -> Link:
        """Follow redirects here and not in the client, so that the limits apply to their hosts, too."""
        permanent, moved_to = True, ""
        for _ in range(MAX_REDIRECTS + 1):
            response = await self._head_or_get(url)
            if response.next_request is None:
                return _judge(response.status_code, moved_to)
            url = response.next_request.url
            # After a temporary redirect, no later address is the page's new permanent address.
            permanent = permanent and response.status_code in PERMANENT
            moved_to = str(url) if permanent else moved_to
        return Link("failed", f"more than {MAX_REDIRECTS} redirects")

    async def _head_or_get(self, url: httpx2.URL) -> httpx2.Response:
        response = await self._request("HEAD", url)
        return await self._request("GET", url) if response.status_code in HEAD_REFUSED else response

    async def _request(self, method: str, url: httpx2.URL) -> httpx2.Response:
        host = url.netloc
        # Lock the host first: a request that waits for a busy host must not hold a slot that others could use.
        async with self._hosts[host]:
            if host in self._requested:
                await asyncio.sleep(self._pause)
            self._requested.add(host)
            async with self._slots, asyncio.timeout(self._timeout), self._client.stream(method, url) as response:
                return response


def _judge(status: int, moved_to: str) -> Link:
    if status in GONE:
        return Link("gone", str(status))
    if not 200 <= status < 300:
        return Link("failed", str(status))
    return Link("moved", moved_to) if moved_to else Link("ok")
