"""FastMCP's proxy with a search transform, over stdio: `PYTHON fastmcp_server.py MODULE:CLASS CONFIG`.

It runs with the Python of an environment that has fastmcp. The client of the upstreams stays connected, as FastMCP's
own documentation advises where a connection for each request is too slow.
"""

import asyncio
import importlib
import json
import sys
from pathlib import Path


async def main() -> None:
    """Connect to the upstreams and serve."""
    transform, path = sys.argv[1:]
    config = json.loads(Path(path).read_text(encoding="utf-8"))
    module, _, name = transform.partition(":")
    package = importlib.import_module("fastmcp")
    create_proxy = importlib.import_module("fastmcp.server").create_proxy
    search = getattr(importlib.import_module(module), name)
    async with package.Client(config) as client:
        server = create_proxy(client, name="fastmcp")
        server.add_transform(search())
        await server.run_async(transport="stdio", show_banner=False)


if __name__ == "__main__":
    asyncio.run(main())
