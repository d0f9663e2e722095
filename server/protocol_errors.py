"""The one place where errors become MCP: callers' mistakes go to the model, faults to the log."""

import logging
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, CallToolResult, TextContent

from embeddings.errors import PhraseError
from server.errors import CallerError, UnavailableToolError

logger = logging.getLogger(__name__)


def tool_error(error: CallerError | PhraseError) -> CallToolResult:
    """A caller's mistake, as a tool result that the model reads and can act on."""
    return CallToolResult(content=[TextContent(type="text", text=str(error))], is_error=True)


def unavailable_tool(error: UnavailableToolError) -> MCPError:
    """A name that cannot be called, and what would help: only for an unloaded tool is there "no such method"."""
    code = METHOD_NOT_FOUND if error.reason == "not_loaded" else INVALID_PARAMS
    return MCPError(code=code, message=str(error), data=error.data)


def bad_resource(uri: str, error: CallerError | PhraseError) -> MCPError:
    """A resource that cannot be read because of what its address says."""
    return MCPError(code=INVALID_PARAMS, message=str(error), data={"uri": uri})


def fault(what: str) -> MCPError:
    """Our own fault: the details are logged, the caller learns that it was not theirs. Call while handling it."""
    logger.exception("%s failed", what)
    data: dict[str, Any] = {"reason": "internal"}
    return MCPError(code=INTERNAL_ERROR, message=f"{what} failed inside the server; its log says why", data=data)
