"""Changes of upstreams, and what is found of them."""

from typing import Any

from mcp import Client

from tests.server.gateway.made_upstreams import Running
from tests.server.gateway.upstreams.running import until
from tests.server.toolset.starts import answer

PINNED = {"pinned": frozenset({"*"})}


async def found(client: Client, need: str) -> list[str]:
    return [each["name"] for each in (await answer(client, "search_tools", {"need": need}))["tools"]]


async def connects(gateway: Running, name: str) -> None:
    """Let a server that was down be there."""
    gateway.made[name].fault = ""
    await until(lambda: gateway.gateway._pool.upstreams[name].state.kind == "ready")
    await gateway.taken()


async def changes(gateway: Running, name: str, *tools: Any) -> None:
    """Let a server have other tools."""
    before = gateway.gateway._pool.upstreams[name].tools
    await gateway.made[name].change(*tools)
    await until(lambda: gateway.gateway._pool.upstreams[name].tools != before)
    await gateway.taken()
