"""The one place where errors become MCP errors: callers' mistakes go to the model, internal faults to the log."""

import logging
from typing import Any, Final

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, CallToolResult, TextContent

from embeddings.errors import PhraseError
from server.errors import CallerError, UnavailableToolError

logger = logging.getLogger(__name__)

_CODES: Final = {"not_loaded": METHOD_NOT_FOUND, "server_unavailable": INTERNAL_ERROR}


def tool_error(error: CallerError | PhraseError) -> CallToolResult:
    """Return a caller's mistake, as a tool result that the model reads and can act on."""
    return CallToolResult(content=[TextContent(type="text", text=str(error))], is_error=True)


def unavailable_tool(error: UnavailableToolError) -> MCPError:
    """Return the error for a tool that cannot be called, with what would help.

    METHOD_NOT_FOUND only if it is not loaded; INTERNAL_ERROR if nothing is wrong with the call but its server.
    """
    code = _CODES.get(error.reason, INVALID_PARAMS)
    return MCPError(code=code, message=str(error), data=error.data)


def bad_resource(uri: str, error: CallerError | PhraseError) -> MCPError:
    """Return the error for a resource whose address is unknown, invalid or not permitted."""
    return MCPError(code=INVALID_PARAMS, message=str(error), data={"uri": uri})


def fault(what: str) -> MCPError:
    """Log the exception being handled, and return an error that tells the caller that the server is at fault."""
    logger.exception("%s failed", what)
    data: dict[str, Any] = {"reason": "internal"}
    return MCPError(code=INTERNAL_ERROR, message=f"{what} failed inside the server; its log says why", data=data)
