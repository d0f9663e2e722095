"""Do web pages still answer? Each is asked once, few at a time, and no host twice at once."""

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
AT_ONCE: Final = 8
MOST_REDIRECTS: Final = 10
HEAD_REFUSED: Final = (403, 404, 405, 410, 501)
"""What some servers answer to HEAD although they have the page; GET decides."""
PERMANENT: Final = (301, 308)
GONE: Final = (404, 410)

LinkState = Literal["ok", "moved", "gone", "failed"]


@dataclass(frozen=True)
class Link:
    """What became of a page.

    Attributes:
        state: `moved` is a permanent redirect to a page that answers.
        detail: where it moved to, the status, or the reason of the failure; empty when all is well.
    """

    state: LinkState
    detail: str = ""


def check_links(addresses: Iterable[str], *, timeout: float = TIMEOUT, pause: float = PAUSE) -> dict[str, Link]:
    """Ask every page once.

    Args:
        addresses: the pages; a repeated one is asked once.
        timeout: seconds a request may take as a whole.
        pause: seconds between two requests to the same host.
    """
    return asyncio.run(_check_all(list(dict.fromkeys(addresses)), timeout, pause))


async def _check_all(addresses: list[str], timeout: float, pause: float) -> dict[str, Link]:
    headers = {"User-Agent": f"agent-capabilities/{package_version()} (link check)"}
    # The client's own timeouts are for each read; a page that trickles would never reach them.
    async with httpx2.AsyncClient(headers=headers, timeout=None) as client:
        asker = _Asker(client, timeout, pause)
        return dict(zip(addresses, await asyncio.gather(*map(asker.ask, addresses)), strict=True))


class _Asker:
    """Asks pages within the limits that all of them share."""

    def __init__(self, client: httpx2.AsyncClient, timeout: float, pause: float) -> None:
        self._client = client
        self._timeout = timeout
        self._pause = pause
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._hosts: defaultdict[bytes, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._asked: set[bytes] = set()

    async def ask(self, address: str) -> Link:
        """What became of a page; never raises for what a page or the network does."""
        try:
            return await self._follow(httpx2.URL(address))
        except TimeoutError:
            return Link("failed", f"no answer within {self._timeout:g} s")
        # A group is what the network layer makes of an address that no socket takes.
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError, ExceptionGroup) as error:
            return Link("failed", str(error) or type(error).__name__)

    async def _follow(self, url: httpx2.URL) -> Link:
        """Redirects are followed here, so that their hosts are spared as well."""
        permanent, moved_to = True, ""
        for _ in range(MOST_REDIRECTS + 1):
            response = await self._head_or_get(url)
            if response.next_request is None:
                return _judge(response.status_code, moved_to)
            url = response.next_request.url
            # What a temporary redirect leads to is not the page's new address, whatever follows.
            permanent = permanent and response.status_code in PERMANENT
            moved_to = str(url) if permanent else moved_to
        return Link("failed", f"more than {MOST_REDIRECTS} redirects")

    async def _head_or_get(self, url: httpx2.URL) -> httpx2.Response:
        response = await self._request("HEAD", url)
        return await self._request("GET", url) if response.status_code in HEAD_REFUSED else response

    async def _request(self, method: str, url: httpx2.URL) -> httpx2.Response:
        host = url.netloc
        # The host comes first: what waits for a busy host must not take a slot from the others.
        async with self._hosts[host]:
            if host in self._asked:
                await asyncio.sleep(self._pause)
            self._asked.add(host)
            async with self._slots, asyncio.timeout(self._timeout), self._client.stream(method, url) as response:
                return response


def _judge(status: int, moved_to: str) -> Link:
    if status in GONE:
        return Link("gone", str(status))
    if not 200 <= status < 300:
        return Link("failed", str(status))
    return Link("moved", moved_to) if moved_to else Link("ok")
