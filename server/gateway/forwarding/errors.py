"""The one place where failures of requests to upstreams become MCP errors."""

from typing import Any, Final

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, URL_ELICITATION_REQUIRED, CallToolResult, TextContent

from server.errors import CallerError
from server.gateway.upstreams.states import UpstreamError
from server.protocol.errors import fault, tool_error

LARGEST: Final = 20 << 20
"""Maximum bytes of the contents of a resource or a prompt."""


def failed_call(what: str, error: Exception) -> CallToolResult:
    """What a caller of a tool gets: a result that the model reads.

    Raises:
        MCPError: the upstream wants its user to open an address first, which the host reads from the error; or the
            gateway itself is at fault.
    """
    if isinstance(error, UpstreamError):
        if error.code == URL_ELICITATION_REQUIRED:
            raise MCPError(code=error.code, message=str(error), data=error.data)
        return CallToolResult(content=[TextContent(type="text", text=str(error))], is_error=True)
    if isinstance(error, CallerError):
        return tool_error(error)
    raise error if isinstance(error, MCPError) else fault(what)


def failed_request(what: str, error: Exception, data: dict[str, Any]) -> MCPError:
    """The error for a request for a prompt or a resource.

    Args:
        what: what was requested, for the log.
        error: why it failed.
        data: the request's own, for programs.
    """
    if isinstance(error, MCPError):
        return error
    if isinstance(error, CallerError):
        return MCPError(code=INVALID_PARAMS, message=str(error), data=data)
    if not isinstance(error, UpstreamError):
        return fault(what)
    if error.kind == "protocol" and error.code is not None:
        return MCPError(code=error.code, message=str(error), data=error.data if error.data is not None else data)
    known = {"server": error.upstream, "reason": error.kind, "since": error.since.isoformat(timespec="seconds")}
    return MCPError(code=INTERNAL_ERROR, message=str(error), data={**data, **known})
