"""Two replicas behind nginx: callers of both protocol eras do not notice that one goes and comes back."""

import signal
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from tests.deploy.callers import HOST, VERSIONS, Callers, right_answers
from tests.deploy.proxy import Proxy, needs_nginx, proxy_of
from tests.deploy.replica import Replica, two_replicas

pytestmark = [pytest.mark.anyio, pytest.mark.slow, needs_nginx]

REQUESTS = 2_000
CALLERS_OF_A_MODE = 3
SECONDS = 300
ENDINGS = [pytest.param("SIGTERM", id="stopped"), pytest.param("SIGKILL", id="killed")]


@pytest.fixture
def replicas(tmp_path: Path) -> Iterator[tuple[Replica, Replica]]:
    with two_replicas(tmp_path / "cache", "--allowed-host", HOST) as both:
        yield both


@pytest.fixture
def proxy(replicas: tuple[Replica, Replica], tmp_path: Path) -> Iterator[Proxy]:
    with proxy_of(replicas, tmp_path) as proxy:
        yield proxy


async def until_it_answers(proxy: Proxy, replica: Replica, since: int) -> None:
    """Returns when the proxy's log, after its first `since` lines, has an answer of the replica."""
    while not any(request.asked[-1] == replica.address for request in proxy.log()[since:]):
        await anyio.sleep(0.1)


@pytest.mark.parametrize("ending", ENDINGS)
async def test_every_request_is_answered_while_one_goes_and_comes_back(
    replicas: tuple[Replica, Replica], proxy: Proxy, ending: str
) -> None:
    leaving, staying = replicas
    callers = Callers(await right_answers(f"http://{staying.address}/mcp"))
    each = REQUESTS // len(VERSIONS)
    with anyio.fail_after(SECONDS):
        async with anyio.create_task_group() as group:
            for mode in VERSIONS:
                for _ in range(CALLERS_OF_A_MODE):
                    group.start_soon(callers.keep_asking, proxy.address, mode)
            await callers.until(each // 4)
            await until_it_answers(proxy, leaving, since=0)
            await anyio.to_thread.run_sync(leaving.end, getattr(signal, ending))
            await callers.until(each // 2)
            before = len(proxy.log())
            await anyio.to_thread.run_sync(leaving.start)
            await until_it_answers(proxy, leaving, since=before)
            await callers.until(each)
            callers.over.set()
    assert callers.failures == []
    assert callers.answered.total() >= REQUESTS
    assert [leaving.address, staying.address] in [request.asked for request in proxy.log()]
