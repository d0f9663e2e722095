"""The tools that an allowlist lets a client see."""

import json
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from mcp import Client

from tests.server.gateway.made_upstreams import Made, Running, files, git, running
from tests.server.toolset.starts import answer, names, rules

TOOLS = ["git__status", "git__push_commits", "files__read_image", "files__status"]
OWN = ["search_tools", "call_tool", "capabilities"]
NEEDS = [
    *TOOLS,
    *("status", "push_commits", "read_image", "git", "files", "run push_commits with read_image"),
    *("rewind", "plug it in outside", "see a picture", "connect", "what does it cost"),
]
RULES: dict[str, tuple[list[str], list[str]]] = {
    "a server": (["git"], TOOLS[:2]),
    "a tool": (["files__read_image"], ["files__read_image"]),
    "tools of any server": (["*__status"], ["git__status", "files__status"]),
    "everything": (["*"], TOOLS),
    "nothing": ([], []),
}
PINNED = frozenset({"*"})


def served(
    monkeypatch: pytest.MonkeyPatch, items: list[str] | None, made: Mapping[str, Made] | None = None, **start: Any
) -> AbstractAsyncContextManager[Running]:
    allowlist = {} if items is None else {"allowlist": rules(the_caller=items)}
    begun = {"pinned": PINNED} | allowlist | start
    return running(monkeypatch, made or {"git": git(), "files": files()}, start=begun)


async def shown_to(client: Client) -> str:
    """Return all that the lists, the documents in every version and depth, and every search show."""
    documents: list[dict[str, Any]] = [
        {},
        {"accept": "v1"},
        {"accept": "v2"},
        {"include_schema": True},
        {"include_schema": True, "verbose": True},
    ]
    shown: list[Any] = [await names(client), client.instructions]
    shown += [tool.model_dump(mode="json") for tool in (await client.list_tools()).tools]
    shown += [await answer(client, "capabilities", each) for each in documents]
    for need in NEEDS:
        shown.append(await answer(client, "search_tools", {"need": need}))
    shown += [prompt.name for prompt in (await client.list_prompts()).prompts]
    shown += [str(resource.uri) for resource in (await client.list_resources()).resources]
    return json.dumps(shown)
