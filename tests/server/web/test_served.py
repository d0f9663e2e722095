"""`serve --web`: the page beside MCP, in this process."""

import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from server.web.answering import Answering
from server.web.refusals import HEADERS
from tests.server.faults.in_process import application_client
from tests.server.label_catalog import CATALOG, written
from tests.server.web.page_site import Held

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("toy_model", "few_intents")]

PING: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
MCP = {"Accept": "application/json, text/event-stream"}
TOKENS = {"ann": "the-token-of-ann-1", "bob": "the-token-of-bob-1", "eve": "the-token-of-eve-1"}


def bearer(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {TOKENS[name]}"}


@pytest.fixture
async def client(toy_data: Path) -> AsyncIterator[httpx2.AsyncClient]:
    options = ["--web", "--data", str(toy_data), "--allowed-host", "agents.example", "--max-phrase", "100"]
    async with application_client(*options, "--max-body", "3000") as client:
        yield client


@pytest.fixture
async def guarded(toy_data: Path, tmp_path: Path) -> AsyncIterator[httpx2.AsyncClient]:
    """Yield a server whose callers have tokens; ann may use everything, bob the core, eve has no rule."""
    (tmp_path / "tokens.json").write_text(json.dumps(TOKENS), encoding="utf-8")
    rules = {"ann": ["full"], "bob": ["core"], "x": ["match"]}
    (tmp_path / "allowlist.json").write_text(json.dumps(rules), encoding="utf-8")
    files = ["--tokens", str(tmp_path / "tokens.json"), "--allowlist", str(tmp_path / "allowlist.json")]
    async with application_client("--web", "--data", str(toy_data), *files) as client:
        yield client


async def test_the_page_and_mcp_are_answered_beside_each_other(client: httpx2.AsyncClient) -> None:
    assert (await client.get("/")).text.startswith("<!doctype html>")
    about = (await client.get("/api/about")).json()
    assert about["views"] == ["try", "map", "agents", "health"]
    assert about["limits"] == {"phrase": 100, "upload": 3000}
    assert "paths" not in about
    assert (await client.post("/mcp", json=PING, headers=MCP)).json()["result"] == {}
    assert (await client.get("/readyz")).json()["status"] == "ok"


async def test_only_what_is_the_pages_has_its_headers(client: httpx2.AsyncClient) -> None:
    for path in ("/", "/page/main.js", "/api/about", "/api/nothing", "/nothing"):
        response = await client.get(path)
        assert all(name in response.headers for name in HEADERS)
    for response in (await client.get("/readyz"), await client.post("/mcp", json=PING, headers=MCP)):
        assert "Content-Security-Policy" not in response.headers


async def test_limits_of_the_server_hold_and_no_file_of_its_machine_is_read(
    client: httpx2.AsyncClient, tmp_path: Path
) -> None:
    response = await client.get("/api/match", params={"q": "x" * 101})
    assert (response.status_code, "100 at most" in response.json()["error"]) == (400, True)
    response = await client.post("/api/coverage", content=b"x" * 3001)
    assert (response.status_code, "3,000" in response.json()["error"]) == (413, True)
    (tmp_path / "labelled.jsonl").write_text('{"query": "undo", "gold": ["Checkpoints"]}', encoding="utf-8")
    response = await client.post("/api/coverage", params={"path": str(tmp_path / "labelled.jsonl")})
    assert (response.status_code, "'path'" in response.json()["error"]) == (400, True)


async def test_hosts_and_origins_are_those_of_mcp(client: httpx2.AsyncClient) -> None:
    cases: list[tuple[dict[str, str], int]] = [
        ({"Host": "agents.example"}, 200),
        ({"Host": "elsewhere.example"}, 403),
        ({"Origin": "https://elsewhere.example"}, 403),
        ({"Host": "agents.example", "Origin": "https://agents.example"}, 200),
    ]
    for headers, status in cases:
        for path in ("/", "/page/main.js", "/api/about"):
            assert (await client.get(path, headers=headers)).status_code == status, headers


async def test_the_shell_is_public_and_the_answers_are_not(guarded: httpx2.AsyncClient) -> None:
    assert (await guarded.get("/")).status_code == 200
    assert (await guarded.get("/page/main.js")).status_code == 200
    refused = await guarded.get("/api/about")
    assert (refused.status_code, refused.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert len(refused.json()["error"].split("; ")) == 3
    assert HEADERS["Content-Security-Policy"] == refused.headers["Content-Security-Policy"]


async def test_the_allowlist_holds_for_the_page(guarded: httpx2.AsyncClient) -> None:
    cases: list[tuple[str, list[str], int]] = [
        ("ann", ["try", "map", "agents", "health"], 200),
        ("bob", ["agents"], 403),
        ("eve", ["agents"], 403),
    ]
    for name, views, matches in cases:
        about = (await guarded.get("/api/about", headers=bearer(name))).json()
        assert about["views"] == views, name
        assert (await guarded.get("/api/match?q=undo", headers=bearer(name))).status_code == matches, name
        assert (await guarded.get("/api/agents", headers=bearer(name))).status_code == 200, name


async def test_a_catalog_of_labels_is_permitted_to_callers_without_a_rule(tmp_path: Path) -> None:
    (tmp_path / "allowlist.json").write_text('{"x": ["core"]}', encoding="utf-8")
    file = written(tmp_path / "labels.json", CATALOG)
    options = ["--web", "--catalog", str(file), "--allowlist", str(tmp_path / "allowlist.json")]
    async with application_client(*options) as client:
        about = (await client.get("/api/about")).json()
        assert (about["title"], about["views"]) == ("labels.json", ["try", "map", "health"])
        assert (await client.get("/api/match?q=undo")).status_code == 200


async def test_requests_have_ids_and_refusals_are_logged_without_phrases(
    client: httpx2.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "server.telemetry")
    response = await client.get("/api/match?q=&top=secret", headers={"X-Request-Id": "mine-1"})
    assert response.headers["X-Request-Id"] == "mine-1"
    assert [record.message for record in caplog.records] == ["request", "refused"]
    assert vars(caplog.records[1])["status"] == 400
    assert "secret" not in caplog.text


async def test_responses_of_the_page_are_counted(toy_data: Path) -> None:
    async with application_client("--web", "--metrics", "--data", str(toy_data)) as client:
        await client.get("/api/about")
        await client.get("/api/nothing")
        metrics = (await client.get("/metrics")).text
    assert 'agent_capabilities_http_responses_total{status="200"} 1.0' in metrics
    assert 'agent_capabilities_http_responses_total{status="404"} 1.0' in metrics


async def test_more_requests_than_the_limit_and_late_ones_are_told_in_the_pages_words(
    toy_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held()
    monkeypatch.setattr(Answering, "__call__", lambda _, asked: held(asked))
    options = ["--web", "--data", str(toy_data), "--max-concurrency", "1", "--request-timeout", "1"]
    responses: list[httpx2.Response] = []
    async with application_client(*options) as client:

        async def ask() -> None:
            responses.append(await client.get("/api/match?q=late"))

        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            while not held.begun:
                await anyio.sleep(0.001)
            responses.append(await client.get("/api/about"))
        held.go.set()
    assert [response.status_code for response in responses] == [503, 504]
    assert responses[0].headers["Retry-After"] == "1"
    for response in responses:
        assert list(response.json()) == ["error"]
        assert all(name in response.headers for name in HEADERS)


async def test_requests_for_answers_are_logged_like_calls(
    guarded: httpx2.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "server.telemetry.middleware")
    await guarded.get("/api/match", params={"q": "undo"}, headers=bearer("ann"))
    await guarded.get("/api/match", headers=bearer("ann"))
    await guarded.get("/api/match", params={"q": "undo"})
    await guarded.get("/page/main.js")
    seen = [record for record in caplog.records if record.getMessage() == "request"]
    assert [(vars(each)["method"], vars(each)["tool"], vars(each)["outcome"]) for each in seen] == [
        ("page", "match", "ok"),
        ("page", "match", "400"),
        ("page", "match", "401"),
    ]
    assert [vars(each).get("caller") for each in seen] == ["ann", "ann", None]
    assert vars(seen[0])["decision"] == "resolved"
    assert "arguments" not in vars(seen[0])
