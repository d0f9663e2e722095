"""Files that change into what cannot be used: told in `/readyz` and counted, while what was read before holds."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from tests.server.faults.in_process import application_client
from tests.server.telemetry.collector import figures

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("toy_model", "few_intents")]

RELOADS = "agent_capabilities_reloads_total"
TOKEN = "the-token-of-ann-1"
OF_ANN = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    path = tmp_path / "tokens.json"
    path.write_text(json.dumps({"ann": TOKEN}), encoding="utf-8")
    return path


@pytest.fixture
async def client(toy_data: Path, tokens: Path) -> AsyncIterator[httpx2.AsyncClient]:
    options = ["--data", str(toy_data), "--tokens", str(tokens), "--metrics", "--web", "--watch", "1"]
    async with application_client(*options) as client:
        yield client


async def not_reloaded(client: httpx2.AsyncClient, wanted: list[str]) -> None:
    """Wait until the health check tells this."""
    with anyio.fail_after(60):
        while (found := await ready(client)).get("notReloaded", []) != wanted:
            await anyio.sleep(0.01)
    assert found["status"] == "ok"


async def ready(client: httpx2.AsyncClient) -> dict[str, Any]:
    response = await client.get("/readyz")
    assert response.status_code == 200
    value: dict[str, Any] = response.json()
    return value


async def reloads(client: httpx2.AsyncClient, what: str) -> dict[str, float]:
    found = figures((await client.get("/metrics")).text, RELOADS)
    return {outcome: count for (outcome, of), count in found.items() if of == what}


async def test_a_catalog_that_cannot_be_read_is_told_until_it_is_mended(
    client: httpx2.AsyncClient, toy_data: Path
) -> None:
    path = toy_data / "capabilities.json"
    good = path.read_text(encoding="utf-8")
    assert "notReloaded" not in await ready(client)
    path.write_text("{", encoding="utf-8")
    await not_reloaded(client, ["catalog"])
    path.write_text(f"{good} ", encoding="utf-8")
    await not_reloaded(client, [])
    assert await reloads(client, "catalog") == {"failed": 1, "ok": 1}


async def test_tokens_that_cannot_be_read_are_told_and_the_old_ones_hold(
    client: httpx2.AsyncClient, tokens: Path
) -> None:
    tokens.write_text("{}", encoding="utf-8")
    assert (await client.get("/api/about", headers=OF_ANN)).status_code == 200
    await not_reloaded(client, ["tokens"])
    tokens.write_text(json.dumps({"bob": "the-token-of-bob-1"}), encoding="utf-8")
    assert (await client.get("/api/about", headers=OF_ANN)).status_code == 401
    await not_reloaded(client, [])
    assert await reloads(client, "tokens") == {"failed": 1, "ok": 1}
