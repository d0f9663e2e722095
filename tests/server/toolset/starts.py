"""Starts of the server, and what a client sees of each."""

import json
from collections.abc import Iterable
from itertools import combinations
from typing import Any, Final

from mcp import Client
from mcp_types import Implementation, TextResourceContents

from server.matching.service import Service
from server.protocol.resources import MANIFEST_URI
from server.protocol.server import build_server
from server.tools.families import CHOOSABLE
from server.toolset.permissions import Allowlist
from server.toolset.start import Start, parse_profile

PROFILES: Final = ("core", "full", *CHOOSABLE[1:], *(",".join(pair) for pair in combinations(CHOOSABLE, 2)))
"""Every profile that names at most two families, and all of them."""

CALLER: Final = "the-caller"
"""Name that a client gives itself unless it says otherwise."""

CALLS: Final[dict[str, dict[str, Any]]] = {
    "lookup_capability": {"agent": "claude-code", "capability": "Checkpoints"},
    "compare_capability": {"capability": "Checkpoints"},
    "list_capabilities": {"agent": "claude-code"},
    "get_sources": {"agent": "claude-code", "capability": "Checkpoints"},
    "match_capability": {"phrase": "Checkpoints"},
    "explain_match": {"phrase": "Checkpoints"},
    "recommend_agent": {"needs": ["Checkpoints"]},
    "feature_parity": {},
    "catalog_status": {},
    "capabilities": {},
    "load_family": {"family": "meta"},
    "smart_load": {"intent": "meta"},
    "call_tool": {"name": "capabilities"},
}
"""Each tool with arguments that it answers to, over the toy catalog as over the shipped one."""


def started(profile: str = "core", *, dynamic: bool = False, allowlist: Allowlist | None = None) -> Start:
    return Start(profile=parse_profile(profile), dynamic=dynamic, allowlist=allowlist)


def rules(**families: Iterable[str]) -> Allowlist:
    return Allowlist({name.replace("_", "-"): frozenset(given) for name, given in families.items()})


def connected(service: Service, mode: str, start: Start, name: str = CALLER) -> Client:
    return Client(build_server(service, start=start), mode=mode, client_info=Implementation(name=name, version="1"))


async def names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


async def answer(client: Client, tool: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
    result = await client.call_tool(tool, CALLS[tool] if arguments is None else arguments)
    assert not result.is_error, result.content
    content: dict[str, Any] | None = result.structured_content
    assert content
    return content


async def manifest(client: Client) -> dict[str, Any]:
    (contents,) = (await client.read_resource(MANIFEST_URI)).contents
    assert isinstance(contents, TextResourceContents)
    document: dict[str, Any] = json.loads(contents.text)
    return document
