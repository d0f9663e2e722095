"""JSON-RPC errors for HTTP requests that never reach MCP."""

from collections.abc import Mapping
from typing import Any, Final

from starlette.responses import JSONResponse

REFUSED: Final = -32000
"""JSON-RPC code, from the range reserved for servers, of a request that this server refuses."""


def error_response(
    status: int, message: str, headers: Mapping[str, str] | None = None, code: int = REFUSED
) -> JSONResponse:
    """A JSON-RPC error; its id is null because the request was not parsed."""
    error: dict[str, Any] = {"code": code, "message": message}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status_code=status, headers=headers)
