"""A gateway in a process of its own, whose tools are kept in a store."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.server.gateway.processes.running_gateway import client, raw_entry, written

pytestmark = [pytest.mark.anyio, pytest.mark.processes]


async def search(file: Path, store: Path) -> dict[str, Any]:
    """Return the answer to a need of a gateway that has just been started, once it finds by meaning."""
    async with client(file, options=["--store", str(store)]) as gateway:
        with anyio.fail_after(60):
            while True:
                found: dict[str, Any] | None = (
                    await gateway.call_tool("search_tools", {"need": "say my words again"})
                ).structured_content
                if found and found["tools"] and not found.get("degraded"):
                    return found
                await anyio.sleep(0.1)


@pytest.mark.parametrize("name", ["tools.labels", "tools.npz"])
async def test_the_second_gateway_writes_nothing_to_the_store_that_the_first_has_filled(
    tmp_path: Path, name: str
) -> None:
    file, store = written(tmp_path, one=raw_entry()), tmp_path / name
    first = await search(file, store)
    content = store.read_bytes()
    assert await search(file, store) == first
    assert store.read_bytes() == content
