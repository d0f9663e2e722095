"""Runs upstreams for tests."""

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import anyio
import mcp_types as types

from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.upstreams import DEFAULT_LIMITS, Limits, Upstream

SECRET: Final = "token-1234567"
QUICK: Final = replace(DEFAULT_LIMITS, first_pause=0.05, longest_pause=0.2, settle=0.01, look=0.05)
RAW: Final = str(Path(__file__).with_name("raw_server.py"))


def raw_config(*flags: str, name: str = "raw", **more: Any) -> UpstreamConfig:
    """Return a server over stdio that has some faults."""
    return UpstreamConfig(
        name=name,
        source=Path("mcp.json"),
        transport="stdio",
        command=sys.executable,
        args=(RAW, *flags),
        secrets=frozenset({SECRET}),
        **more,
    )


def http_config(url: str, **more: Any) -> UpstreamConfig:
    """Return a server over HTTP."""
    given: dict[str, Any] = {"name": "web", "source": Path("mcp.json"), "transport": "http"} | more
    return UpstreamConfig(url=url, **given)


async def until(true: Callable[[], object]) -> None:
    """Wait until something is true."""
    with anyio.fail_after(60):
        while not true():
            await anyio.sleep(0.01)


@asynccontextmanager
async def started(upstream: Upstream) -> AsyncIterator[Upstream]:
    """Yield an upstream that runs, whatever its state."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(upstream.run)
        try:
            yield upstream
        finally:
            tasks.cancel_scope.cancel()


@asynccontextmanager
async def ready(config: UpstreamConfig, limits: Limits = QUICK) -> AsyncIterator[Upstream]:
    """Yield an upstream that is ready."""
    async with started(Upstream(config, limits)) as upstream:
        await until(lambda: upstream.state.kind == "ready")
        yield upstream


def text_of(result: types.CallToolResult) -> str:
    """Return the only text of a result."""
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text
