"""Every tool as it is listed, as text to compare with the files of `snapshots/`."""

import difflib
import json
from pathlib import Path
from typing import Final

import anyio
from mcp import Client

from server.matching.service import open_service
from server.paths import shipped_data
from server.protocol.server import build_server
from server.tools.label_tools import label_tools
from server.toolset.start import Start, parse_profile
from server.toolset.toolset import advertised
from tests.toy import BOOK

FOLDER: Final = Path(__file__).parent / "snapshots"
ACCEPT: Final = "python -m tests.server.accept_snapshots"


def listed() -> dict[str, str]:
    """Name of each tool to its snapshot; those of a catalog file are named after it."""
    return anyio.run(_listed)


def complaint(name: str, now: str) -> str | None:
    """Return the complaint about a tool that is not listed as its accepted snapshot says; None where it is."""
    path = FOLDER / f"{name}.json"
    if not path.is_file():
        return f"{path} is missing; to accept the tool as it is: {ACCEPT}"
    accepted = path.read_text(encoding="utf-8")
    if accepted == now:
        return None
    lines = difflib.unified_diff(
        accepted.splitlines(), now.splitlines(), f"accepted {name}", f"now {name}", lineterm=""
    )
    return "\n".join([*lines, f"to accept the change: {ACCEPT}"])


async def _listed() -> dict[str, str]:
    start = Start(profile=parse_profile("full"), dynamic=True)
    service = open_service(shipped_data())
    # Else a thread would load the model after the tools are listed, and abort the process if that ends meanwhile.
    service.matchers.load()
    async with Client(build_server(service, start=start)) as client:
        tools = (await client.list_tools()).tools
    of_catalogs = {f"catalog.{tool.name}": advertised(tool) for tool in label_tools(BOOK)}
    return {
        name: json.dumps(
            tool.model_dump(mode="json", by_alias=True, exclude_none=True), indent=2, sort_keys=True, ensure_ascii=False
        )
        + "\n"
        for name, tool in ({tool.name: tool for tool in tools} | of_catalogs).items()
    }
