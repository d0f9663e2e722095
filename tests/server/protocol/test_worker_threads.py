import contextvars
import threading

import anyio
import pytest

from server.protocol.worker_threads import WorkerThreads

pytestmark = [pytest.mark.anyio]

SECONDS = 30


async def test_a_caller_whose_time_is_up_does_not_wait_for_the_thread() -> None:
    threads, held = WorkerThreads(1), threading.Event()
    with anyio.fail_after(SECONDS), anyio.move_on_after(0.05) as limit:
        await threads.run(held.wait, SECONDS)
    held.set()
    assert limit.cancelled_caught


async def test_work_that_nobody_waits_for_keeps_its_place_until_it_ends() -> None:
    threads, held, later = WorkerThreads(1), threading.Event(), threading.Event()
    with anyio.move_on_after(0.05):
        await threads.run(held.wait, SECONDS)
    async with anyio.create_task_group() as group:
        group.start_soon(threads.run, later.set)
        await anyio.sleep(0.1)
        assert not later.is_set()
        held.set()
    assert later.is_set()


async def test_work_that_has_not_begun_when_its_time_is_up_is_never_done() -> None:
    threads, held, never = WorkerThreads(1), threading.Event(), threading.Event()
    async with anyio.create_task_group() as group:
        group.start_soon(threads.run, held.wait, SECONDS)
        await anyio.sleep(0)
        with anyio.move_on_after(0.05):
            await threads.run(never.set)
        held.set()
    assert await threads.run(lambda: "the next") == "the next"
    assert not never.is_set()


async def test_an_error_reaches_the_caller() -> None:
    def fail() -> None:
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        await WorkerThreads(1).run(fail)


async def test_work_sees_the_context_of_its_caller() -> None:
    of_the_caller = contextvars.ContextVar("of_the_caller", default="nobody")
    of_the_caller.set("somebody")
    assert await WorkerThreads(1).run(of_the_caller.get) == "somebody"
