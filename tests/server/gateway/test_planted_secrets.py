"""Secrets of the configuration are in nothing that the gateway writes or answers."""

import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from server.gateway.configuration.configurations import read_configurations
from server.gateway.tool_catalog.json_file import USER_DATA_VARIABLE
from server.matching.vector_cache import CACHE_VARIABLE
from tests.server.gateway.made_upstreams import Context, Made, Result, Running, git, running
from tests.server.gateway.tool_catalog.tools import tool
from tests.server.gateway.upstreams.running import until
from tests.server.toolset.starts import answer

pytestmark = [pytest.mark.anyio]
ENV, HEADER, QUERY, ARGUMENT = "env-value-8d1f", "bearer-token-77aa", "query-token-c4e2", "sk-argument-91b3f0aa55d2"
SECRETS = (ENV, HEADER, QUERY, ARGUMENT)

DEPTHS: tuple[dict[str, Any], ...] = (
    {},
    {"accept": "v1"},
    {"accept": "v2"},
    {"include_schema": True, "verbose": True},
)


def planted(tmp_path: Path) -> dict[str, Any]:
    """Return the secrets as a configuration file gives them."""
    path = tmp_path / "mcp.json"
    servers = {
        "env": {"command": "made", "args": ["--api-key", ARGUMENT], "env": {"API_KEY": ENV}},
        "web": {"url": f"https://example.com/mcp?token={QUERY}", "headers": {"Authorization": f"Bearer {HEADER}"}},
    }
    path.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    found = {config.name: config for config in read_configurations([path]).upstreams}
    assert {*SECRETS} <= found["env"].secrets | found["web"].secrets
    return {
        "command": "made",
        "args": found["env"].args,
        "env": found["env"].env,
        "secrets": found["env"].secrets | found["web"].secrets,
    }


def told() -> str:
    return f"undo with {', '.join(SECRETS)}"


async def failing(context: Context, params: Any) -> Result:
    raise MCPError(code=-32602, message=told(), data={"told": told()})


def repeating(tmp_path: Path, **parts: Any) -> Made:
    """Return a server that repeats what it was given, wherever it can."""
    schema = {"type": "object", "properties": {"key": {"type": "string", "description": told(), "default": ENV}}}
    given = tool("status", told(), title=told()[:190], inputSchema=schema, outputSchema=schema)
    return Made([given, tool("push", "plug outside")], failing, config=planted(tmp_path), **parts)


def written() -> Iterator[str]:
    """Yield all that is in the user's folders."""
    for variable in (CACHE_VARIABLE, USER_DATA_VARIABLE):
        for path in Path(os.environ[variable]).rglob("*"):
            if path.is_file():
                yield f"{path.name} {path.read_bytes()!r}"


async def answers(client: Client) -> list[Any]:
    """Lists, documents, searches and errors."""
    shown: list[Any] = [client.instructions]
    shown += [each.model_dump(mode="json") for each in (await client.list_tools()).tools]
    for depth in DEPTHS:
        shown.append(await answer(client, "capabilities", depth))
    for need in ("undo", "status", "far__status", "far", "nothing of the kind"):
        shown.append(await answer(client, "search_tools", {"need": need}))
    for name in ("far__status", "far__other", "status"):
        for given in ({}, {"key": 5}):
            try:
                called = await client.call_tool("call_tool", {"name": name, "arguments": given})
                shown.append(called.model_dump(mode="json"))
            except MCPError as error:
                shown.append(f"{error} {error.error.data}")
    return shown


def leaked(texts: Iterator[str] | list[str]) -> list[str]:
    return [secret for text in texts for secret in SECRETS if secret in text]


async def shown_by(gateway: Running) -> list[str]:
    async with gateway.client() as client:
        return [json.dumps(await answers(client), default=str)]


START = {"pinned": frozenset({"*"})}


@pytest.mark.parametrize("pin_descriptions", [False, True])
async def test_of_a_server_that_repeats_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture, pin_descriptions: bool
) -> None:
    caplog.set_level(logging.DEBUG)
    made = {"far": repeating(tmp_path), "git": git()}
    for turn in range(2):
        options: dict[str, Any] = {"pin_descriptions": pin_descriptions, "start": START}
        async with running(monkeypatch, made, **options) as gateway:
            shown = await shown_by(gateway)
            assert "[secret]" in shown[0] or (pin_descriptions and turn == 1)
            assert leaked(shown) == []
        # At the second start it is another description, which is reported.
        made["far"].tools = [tool("status", f"{turn} {told()}")]
    files = list(written())
    assert any("far" in text for text in files)
    assert leaked(files) == []
    assert leaked([record.getMessage() + str(record.exc_text) for record in caplog.records if is_ours(record)]) == []


def is_ours(record: logging.LogRecord) -> bool:
    """Return whether the gateway logged it, and not the made server, which runs in the same process."""
    return not record.name.startswith(("mcp.server", "asyncio"))


@pytest.mark.parametrize("fault", ["down", "unauthorized"])
async def test_of_a_server_that_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    caplog.set_level(logging.DEBUG)
    made = {"far": repeating(tmp_path, fault=fault, why=told()), "git": git()}
    async with running(monkeypatch, made, start=START) as gateway:
        shown = await shown_by(gateway)
    assert "[secret]" in shown[0]
    assert leaked(shown) == []
    assert leaked([record.getMessage() + str(record.exc_text) for record in caplog.records]) == []


async def test_of_a_server_that_dies(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    made = {"far": repeating(tmp_path), "git": git()}
    async with running(monkeypatch, made, start=START) as gateway:
        made["far"].fault = "down"
        upstream = gateway.gateway._pool.upstreams["far"]
        assert upstream._connection is not None
        upstream._connection.fail("down", told())
        await until(lambda: upstream.state.kind == "down")
        await gateway.taken()
        assert leaked(await shown_by(gateway)) == []
    assert leaked([record.getMessage() + str(record.exc_text) for record in caplog.records if is_ours(record)]) == []
