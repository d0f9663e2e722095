"""Failures of requests and connections, in the words of an upstream's state."""

from typing import Any, Final, Literal

import httpx2
import mcp_types as types
from mcp.client._input_required import InputRequiredRoundsExceededError
from mcp.client.auth import OAuthFlowError
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from server.errors import brief
from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.upstreams.transports.messages import (
    TOO_LARGE,
    UNAUTHORIZED,
    UNREACHABLE,
    UNREADABLE,
    error_result,
    malformed,
    size_error,
)

_CLOSED: Final = "Connection closed"
_STREAM_LIMIT: Final = "Server-sent event exceeded the"
_UNPARSED: Final = "Failed to parse JSON response: "

Failure = tuple[Literal["down", "unauthorized"], str]
Outcome = Literal["died", "unauthorized", "protocol", "result"]


def outcome_of(error: MCPError, ended: bool) -> Outcome:
    """Return what an error in answer to a request means."""
    if error.code == UNAUTHORIZED:
        return "unauthorized"
    if error.code == UNREACHABLE or (error.code == types.CONNECTION_CLOSED and (ended or error.message == _CLOSED)):
        return "died"
    if error.code in (TOO_LARGE, UNREADABLE, types.PARSE_ERROR) or _STREAM_LIMIT in error.message:
        return "result"
    return "protocol"


def as_result(error: MCPError, most: int) -> types.CallToolResult:
    """Return an answer that could not be read, as the result of a call, which shows it or its size."""
    text = error.message
    if error.code == TOO_LARGE:
        wire = error_result(text)
    elif _STREAM_LIMIT in text or size_error(None, most) in text:
        wire = error_result(size_error(None, most))
    else:
        wire = malformed(text.removeprefix(_UNPARSED), "it is no JSON-RPC answer")
    return types.CallToolResult.model_validate(wire)


def reason(error: BaseException) -> Failure:
    """Why connecting failed, in few words; the first cause of a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    match error:
        case MCPError(code=code):
            return ("unauthorized" if code == UNAUTHORIZED else "down"), error.message
        case OAuthFlowError():
            return "unauthorized", str(error)
        case httpx2.HTTPStatusError(response=response):
            kind: Literal["down", "unauthorized"] = "unauthorized" if response.status_code in (401, 403) else "down"
            return kind, f"HTTP {response.status_code} {response.reason_phrase}".strip()
        case OSError(strerror=str(text)):
            return "down", f"{text}: {brief(error.filename)}" if error.filename else text
        case ValidationError():
            return "down", f"its answer is malformed ({_first(error)})"
    return "down", f"{type(error).__name__}: {error}".rstrip(": ")


def advised(config: UpstreamConfig, failure: Failure) -> Failure:
    """Return the failure, with how to sign in where that may help."""
    kind, why = failure
    if kind == "down" or any(name.casefold() == "authorization" for name in config.headers):
        return failure
    return kind, f'{why}; run "agent-capabilities gateway login {config.name}"'


def protocol_reason(error: BaseException) -> str:
    """Why a request failed that the server, or the caller's answer to its question, refused."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    match error:
        case ValidationError():
            return f"the server's answer is malformed ({_first(error)})"
        case InputRequiredRoundsExceededError(max_rounds=rounds):
            return f"the server asked for input more than {rounds} times"
        case MCPError(message=message):
            return message
    return f"{type(error).__name__}: {error}".rstrip(": ")


def _first(error: ValidationError) -> str:
    first: Any = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
