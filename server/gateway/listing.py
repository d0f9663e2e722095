"""Lists the tools of upstreams once, for `preflight` and `enrich`."""

from collections.abc import Sequence
from typing import Any, Final

import anyio

from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.upstreams.pool import UpstreamPool

SECONDS: Final = 60.0
"""Time for all upstreams together to connect."""


async def listed_tools(configs: Sequence[UpstreamConfig]) -> tuple[dict[str, Any], list[str]]:
    """Connect to all upstreams at the same time, and list their tools.

    Returns:
        `{server: {"tools": [...]}}` as they answer `tools/list`; and why the others did not.
    """
    pool = UpstreamPool(configs)
    async with anyio.create_task_group() as group:
        group.start_soon(pool.run)
        with anyio.move_on_after(SECONDS):
            for upstream in pool.upstreams.values():
                await upstream.settled()
        lists = {
            name: {"tools": [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in upstream.tools]}
            for name, upstream in pool.upstreams.items()
            if upstream.state.kind == "ready"
        }
        failed = [
            f"server {name!r} is {upstream.state.kind} ({upstream.state.why or 'no answer yet'}); its tools are "
            "missing; correct its configuration, or try again"
            for name, upstream in pool.upstreams.items()
            if upstream.state.kind != "ready"
        ]
        group.cancel_scope.cancel()
    return lists, failed
