"""Serving over Streamable HTTP."""

from typing import Any

import uvicorn
from mcp.server.lowlevel import Server


def run_http(server: Server[Any], host: str, port: int) -> None:
    """Serve at /mcp until the process is stopped; each request stands alone, so replicas need no shared state."""
    app = server.streamable_http_app(stateless_http=True, json_response=True, host=host)
    uvicorn.run(app, host=host, port=port, log_level="warning")
