"""The pool: failures stay with their upstream, and callers get connections of their own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import anyio
import pytest

from server.gateway.upstreams import Limits, UpstreamError, UpstreamPool
from tests.server.gateway.upstreams.running import QUICK, http_config, raw_config, text_of, until
from tests.server.gateway.upstreams.web_server import MadeServer, served

pytestmark = [pytest.mark.anyio, pytest.mark.processes]


@asynccontextmanager
async def running(*names: str, shared: tuple[str, ...] = (), limits: Limits = QUICK) -> AsyncIterator[UpstreamPool]:
    """Yield a pool whose servers are ready."""
    pool = UpstreamPool([raw_config(name=name) for name in names], shared=shared, limits=limits)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pool.run)
        await until(lambda: all(upstream.state.kind == "ready" for upstream in pool.upstreams.values()))
        yield pool
        tasks.cancel_scope.cancel()


async def process_of(pool: UpstreamPool, name: str, caller: str | None = None) -> str:
    return text_of(await (await pool.of(name, caller)).call("pid"))


async def test_an_upstream_that_fails_holds_up_no_other() -> None:
    configs = [raw_config("silent", name="silent"), raw_config(name="good")]
    pool = UpstreamPool(configs, limits=QUICK)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pool.run)
        await until(lambda: pool.upstreams["good"].state.kind == "ready")
        assert pool.upstreams["silent"].state.kind == "connecting"
        assert text_of(await pool.upstreams["good"].call("echo", {"text": "a"})) == "a"
        tasks.cancel_scope.cancel()


async def test_a_change_of_any_upstream_is_told() -> None:
    told: list[tuple[str, str]] = []
    configs = [raw_config(name="a"), raw_config(name="b")]
    pool = UpstreamPool(configs, limits=QUICK, on_change=lambda one: told.append((one.config.name, one.state.kind)))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pool.run)
        await until(lambda: sorted(told) == [("a", "ready"), ("b", "ready")])
        tasks.cancel_scope.cancel()


async def test_a_listener_that_fails_does_not_end_the_upstream() -> None:
    def fail(_: object) -> None:
        raise ValueError("cannot take it")

    pool = UpstreamPool([raw_config()], limits=QUICK, on_change=fail)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pool.run)
        await until(lambda: pool.upstreams["raw"].state.kind == "ready")
        assert text_of(await pool.upstreams["raw"].call("echo", {"text": "a"})) == "a"
        tasks.cancel_scope.cancel()


async def test_each_caller_has_a_process_of_its_own() -> None:
    async with running("a") as pool:
        first, again = await process_of(pool, "a", "x"), await process_of(pool, "a", "x")
        other = await process_of(pool, "a", "y")
        assert first == again
        assert len({first, other, await process_of(pool, "a")}) == 3


async def test_callers_share_the_connection_of_a_shared_upstream() -> None:
    async with running("a", shared=("a",)) as pool:
        assert await process_of(pool, "a", "x") == await process_of(pool, "a", "y") == await process_of(pool, "a")


async def test_a_caller_who_leaves_is_forgotten() -> None:
    async with running("a") as pool:
        before = await process_of(pool, "a", "x")
        pool.forget("x")
        assert await process_of(pool, "a", "x") != before


async def test_a_callers_idle_connection_is_closed() -> None:
    async with running("a", limits=replace(QUICK, idle=0.2)) as pool:
        own = await pool.of("a", "x")
        await own.call("pid")
        await until(lambda: own.state.why == "the gateway has closed the connection")


async def test_one_connection_too_many_closes_the_one_that_is_idle_longest() -> None:
    async with running("a", limits=replace(QUICK, connections=2)) as pool:
        before = {caller: await process_of(pool, "a", caller) for caller in ("x", "y", "z")}
        assert await process_of(pool, "a", "z") == before["z"]
        assert await process_of(pool, "a", "y") == before["y"]
        assert await process_of(pool, "a", "x") != before["x"]


async def test_connections_in_use_are_not_closed_for_another_caller() -> None:
    async with running("a", limits=replace(QUICK, connections=1)) as pool, anyio.create_task_group() as tasks:
        own = await pool.of("a", "x")
        tasks.start_soon(own.call, "hang")
        await until(lambda: own.busy)
        with pytest.raises(UpstreamError, match="connections of callers are in use"):
            await pool.of("a", "y")
        tasks.cancel_scope.cancel()


async def test_a_callers_own_connection_over_http_can_call() -> None:
    with served(MadeServer().streamable_http_app()) as address:
        pool = UpstreamPool([http_config(f"{address}/mcp")], limits=QUICK)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(pool.run)
            await anyio.lowlevel.checkpoint()
            assert text_of(await (await pool.of("web", "x")).call("echo", {"text": "a"})) == "a"
            tasks.cancel_scope.cancel()
