import contextvars
import threading
import time

import anyio
import pytest

from embeddings.ranking.pauses import pausable, pause
from server.protocol import worker_threads
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


@pytest.fixture
def short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that pauses has had its turn."""
    monkeypatch.setattr(worker_threads, "TURN", 0)


@pytest.mark.usefixtures("short_turns")
async def test_long_work_lets_others_go_first_in_its_pauses() -> None:
    threads, waiting, order = WorkerThreads(1), threading.Event(), []

    def long() -> None:
        waiting.wait(SECONDS)
        for part in range(3):
            order.append(f"part {part}")
            with pausable():
                pause()

    async with anyio.create_task_group() as group:
        group.start_soon(threads.run, long)
        await anyio.sleep(0)
        for name in ("first", "second"):
            group.start_soon(threads.run, order.append, name)
        await anyio.sleep(0.05)
        waiting.set()
    assert order == ["part 0", "first", "second", "part 1", "part 2"]


@pytest.mark.usefixtures("short_turns")
async def test_two_long_works_take_turns_and_both_end() -> None:
    threads, order = WorkerThreads(1), []

    def long(name: str) -> str:
        with pausable():
            for _ in range(5):
                pause()
                order.append(name)
                time.sleep(0.01)
        return name

    async with anyio.create_task_group() as group:
        group.start_soon(threads.run, long, "a")
        group.start_soon(threads.run, long, "b")
    assert sorted(order) == ["a"] * 5 + ["b"] * 5
    assert order != sorted(order)
    assert await threads.run(long, "c") == "c"


async def test_work_within_its_turn_is_not_interrupted() -> None:
    threads, order = WorkerThreads(1), []

    def short() -> None:
        time.sleep(0.01)
        with pausable():
            pause()
        order.append("short")

    async with anyio.create_task_group() as group:
        group.start_soon(threads.run, short)
        await anyio.sleep(0)
        group.start_soon(threads.run, order.append, "next")
    assert order == ["short", "next"]


@pytest.mark.usefixtures("short_turns")
async def test_work_is_not_interrupted_where_others_may_wait_for_it() -> None:
    threads, order = WorkerThreads(1), []

    def loading() -> None:
        time.sleep(0.05)
        pause()
        order.append("loaded")

    async with anyio.create_task_group() as group:
        group.start_soon(threads.run, loading)
        await anyio.sleep(0)
        group.start_soon(threads.run, order.append, "next")
    assert order == ["loaded", "next"]


async def test_work_that_nobody_waits_for_ends_at_its_next_pause() -> None:
    threads, go, done = WorkerThreads(1), threading.Event(), []

    def long() -> None:
        go.wait(SECONDS)
        with pausable():
            for part in range(1000):
                pause()
                done.append(part)

    with anyio.move_on_after(0.05):
        await threads.run(long)
    go.set()
    assert await threads.run(lambda: "the next") == "the next"
    assert not done


@pytest.mark.usefixtures("short_turns")
async def test_interrupted_work_that_nobody_waits_for_is_not_resumed() -> None:
    threads, held, done = WorkerThreads(1), threading.Event(), []

    def long() -> None:
        time.sleep(0.02)
        with pausable():
            pause()
            done.append("resumed")

    async with anyio.create_task_group() as group:
        group.start_soon(threads.run, lambda: time.sleep(0.01))
        await anyio.sleep(0)
        with anyio.move_on_after(0.15):
            group.start_soon(_begin_later, threads, held)
            await threads.run(long)
        held.set()
    assert await threads.run(lambda: "the next") == "the next"
    assert not done


async def _begin_later(threads: WorkerThreads, held: threading.Event) -> None:
    await anyio.sleep(0)
    await threads.run(held.wait, SECONDS)
