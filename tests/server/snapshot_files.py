"""Every tool as it is listed, as text to compare with the files of `snapshots/`."""

import json
from pathlib import Path
from typing import Final

import anyio
from mcp import Client

from server.mcp_server import build_server
from server.paths import shipped_data
from server.service import open_service

FOLDER: Final = Path(__file__).parent / "snapshots"
ACCEPT: Final = "python -m tests.server.accept_snapshots"


def listed() -> dict[str, str]:
    """Name of each tool to its snapshot."""
    return anyio.run(_listed)


async def _listed() -> dict[str, str]:
    async with Client(build_server(open_service(shipped_data()))) as client:
        tools = (await client.list_tools()).tools
    return {
        tool.name: json.dumps(
            tool.model_dump(mode="json", by_alias=True, exclude_none=True), indent=2, sort_keys=True, ensure_ascii=False
        )
        + "\n"
        for tool in tools
    }
