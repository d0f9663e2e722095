"""FastMCP's proxy with its BM25 search transform, over stdio: `PYTHON fastmcp_server.py CONFIG`.

It runs with the Python of an environment that has fastmcp, and imports nothing of this project. The client of the
upstreams stays connected, as FastMCP's own documentation advises where a connection for each request is too slow.
"""

import asyncio
import importlib
import json
import sys
from pathlib import Path


async def main() -> None:
    """Connect to the upstreams and serve."""
    config = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    package = importlib.import_module("fastmcp")
    create_proxy = importlib.import_module("fastmcp.server").create_proxy
    bm25 = importlib.import_module("fastmcp.server.transforms.search.bm25")
    async with package.Client(config) as client:
        server = create_proxy(client, name="fastmcp")
        server.add_transform(bm25.BM25SearchTransform())
        await server.run_async(transport="stdio", show_banner=False)


if __name__ == "__main__":
    asyncio.run(main())
