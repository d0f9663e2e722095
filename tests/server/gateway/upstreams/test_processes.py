"""The processes of upstreams end with us, however we end."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from server.gateway.upstreams import Upstream, UpstreamPool
from tests.server.gateway.upstreams.running import QUICK, raw_config, text_of, until

pytestmark = [pytest.mark.processes, pytest.mark.skipif(os.name == "nt", reason="Windows has no process groups")]

PROGRAM = """
import anyio, sys
from server.gateway.upstreams import UpstreamPool
from server.stopping import leave
from tests.server.gateway.upstreams.running import raw_config, text_of, until

async def main():
    pool = UpstreamPool([raw_config({flags})])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pool.run)
        upstream = pool.upstreams["raw"]
        await until(lambda: upstream.state.kind == "ready")
        print(text_of(await upstream.call("pid")), flush=True)
        {then}

anyio.run(main)
"""


def lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    # A process that has ended and that nobody has asked about is no running one.
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


async def pids(upstream: Upstream) -> list[int]:
    """Return the process of an upstream, and its children."""
    children = [int(tool.name.partition("-")[2]) for tool in upstream.tools if tool.name.startswith("child-")]
    return [int(text_of(await upstream.call("pid"))), *children]


@pytest.mark.anyio
async def test_processes_and_their_children_end_with_the_pool() -> None:
    configs = [raw_config("child", name="a"), raw_config("stubborn", name="b"), raw_config("silent", name="c")]
    pool = UpstreamPool(configs, limits=QUICK)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pool.run)
        await until(lambda: all(pool.upstreams[name].state.kind == "ready" for name in "ab"))
        running = await pids(pool.upstreams["a"]) + await pids(pool.upstreams["b"])
        tasks.cancel_scope.cancel()
    assert len(running) == 3
    assert not any(map(lives, running))


@pytest.mark.anyio
async def test_the_child_of_a_server_that_dies_ends() -> None:
    pool = UpstreamPool([raw_config("child")], limits=QUICK)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pool.run)
        upstream = pool.upstreams["raw"]
        await until(lambda: upstream.state.kind == "ready")
        running = await pids(upstream)
        os.kill(running[0], signal.SIGKILL)
        await until(lambda: not any(map(lives, running)))
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize("flags", ['"plain"', '"stubborn"'])
def test_processes_end_when_we_leave_at_once(flags: str) -> None:
    program = PROGRAM.format(flags=flags, then="leave(0)")
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True)
    wait_until(lambda: not lives(int(done.stdout)))


def test_processes_that_end_with_their_input_end_when_we_are_killed() -> None:
    program = PROGRAM.format(flags="", then="await anyio.sleep_forever()")
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE) as process:
        assert process.stdout
        server = int(process.stdout.readline())
        assert lives(server)
        process.kill()
    wait_until(lambda: not lives(server))
