"""What is sent to a caller whose request was not read to its end."""

from collections.abc import Mapping
from typing import Any, Final

from starlette.responses import JSONResponse

NOT_TAKEN: Final = -32000
"""JSON-RPC code, of those left to servers, of a request that this one does not take."""


def refusal(status: int, message: str, headers: Mapping[str, str] | None = None, code: int = NOT_TAKEN) -> JSONResponse:
    """A JSON-RPC error without an id, as the request was not read."""
    error: dict[str, Any] = {"code": code, "message": message}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status_code=status, headers=headers)
