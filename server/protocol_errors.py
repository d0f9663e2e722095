"""The one place where errors become MCP: callers' mistakes go to the model, faults to the log."""

import logging
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, TextContent
from pydantic import ValidationError

from embeddings.errors import PhraseError
from server.errors import CallerError, brief, nearest

logger = logging.getLogger(__name__)


def tool_error(error: CallerError | PhraseError) -> CallToolResult:
    """A caller's mistake, as a tool result that the model reads and can act on."""
    return CallToolResult(content=[TextContent(type="text", text=str(error))], is_error=True)


def invalid_arguments(tool: str, error: ValidationError) -> CallerError:
    """Arguments of a wrong shape: the first one that is wrong, and what it must be."""
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "arguments"
    if first["type"] == "missing":
        return CallerError(f"{tool} needs the argument {where!r}, which is missing; call again with it")
    return CallerError(
        f"{tool} got {brief(first['input'])} for {where!r}; {first['msg'].lower()}; call again with that"
    )


def unknown_tool(name: str, known: list[str]) -> MCPError:
    """A tool that does not exist, with the nearest that does."""
    return MCPError(
        code=INVALID_PARAMS,
        message=f"unknown tool {brief(name)}; known: {', '.join(known)}; nearest: {nearest(name, known)[0]}",
        data={"reason": "unknown_tool", "nearest": nearest(name, known, 3)},
    )


def bad_resource(uri: str, error: CallerError | PhraseError) -> MCPError:
    """A resource that cannot be read because of what its address says."""
    return MCPError(code=INVALID_PARAMS, message=str(error), data={"uri": uri})


def fault(what: str) -> MCPError:
    """Our own fault: the details are logged, the caller learns that it was not theirs. Call while handling it."""
    logger.exception("%s failed", what)
    data: dict[str, Any] = {"reason": "internal"}
    return MCPError(code=INTERNAL_ERROR, message=f"{what} failed inside the server; its log says why", data=data)
