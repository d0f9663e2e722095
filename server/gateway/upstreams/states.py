"""The status of an upstream: its state, its errors, and the limits that it is held to."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

import httpx2
import mcp_types as types
from mcp.client._input_required import InputRequiredRoundsExceededError
from mcp.client.auth import OAuthFlowError
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from server.errors import brief
from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.upstreams.message_costs import values_error
from server.gateway.upstreams.messages import (
    TOO_LARGE,
    UNAUTHORIZED,
    UNREACHABLE,
    UNREADABLE,
    error_result,
    malformed,
    size_error,
)

StateKind = Literal["connecting", "ready", "down", "unauthorized"]
ErrorKind = Literal["connecting", "down", "unauthorized", "timeout", "died", "protocol"]

ListKind = Literal["tools", "prompts", "resources", "resource_templates", "skills"]
Lists = dict[ListKind, tuple[Any, ...]]
KINDS: Final[tuple[ListKind, ...]] = ("tools", "prompts", "resources", "resource_templates", "skills")

_ADVICE: Final[dict[ErrorKind, str]] = {
    "connecting": "call again in a few seconds",
    "down": "use another tool, or look at the server's configuration; it is tried again by itself",
    "unauthorized": "the user signs in or corrects the credentials in the configuration",
    "timeout": "the call may have had effects; check before calling again",
    "died": "the call may have had effects; check before calling again",
    "protocol": "correct the request if the message says how; otherwise use another tool",
}


@dataclass(frozen=True)
class Limits:
    """Limits of upstreams. Sizes are in bytes, times in seconds."""

    start: float = 30.0
    """For connecting and listing, where the configuration does not say."""
    call: float = 3600.0
    """For one call, however often progress extends its time."""
    patience: float = 10.0
    """How long after the start a request waits for a server that still connects."""
    starting: float = 20.0
    """How long after the start no search is final while a server whose tools are unknown still connects."""
    patience_of_search: float = 1.0
    """How long a search waits for such servers, each time."""
    first_pause: float = 1.0
    longest_pause: float = 60.0
    """Between attempts to connect; each pause is twice the one before, with jitter."""
    healthy: float = 60.0
    """After being connected for so long, the pauses start small again."""
    unauthorized_pause: float = 900.0
    """Before a refused upstream is tried again without a new sign-in."""
    look: float = 2.0
    """Between looks for a new sign-in."""
    message: int = 20 << 20
    """Largest message of an upstream, and with it the largest result."""
    pages: int = 200
    items: int = 5000
    list_bytes: int = 20 << 20
    """For one list."""
    settle: float = 0.2
    """After a list's change, before it is fetched again."""
    idle: float = 600.0
    """A caller's own connection is closed after so long without a call."""
    connections: int = 64
    """Maximum connections that belong to single callers, over all upstreams."""


DEFAULT_LIMITS: Final = Limits()


@dataclass(frozen=True)
class UpstreamState:
    """Whether an upstream can be called, since when, and why not; `why` shows no secret."""

    kind: StateKind
    since: datetime
    why: str = ""


@dataclass(frozen=True)
class UpstreamInfo:
    """How a server describes itself."""

    name: str = ""
    version: str = ""
    instructions: str = ""
    protocol_version: str = ""


class UpstreamError(Exception):
    """A request to an upstream got no answer.

    Attributes:
        upstream: the upstream's name.
        kind: what happened.
        since: since when the upstream is in this state; the time of the error for what concerns one request alone.
        why: the reason; it shows no secret.
        code: of the server's JSON-RPC error, if it answered with one; `data` is that error's.
    """

    def __init__(
        self,
        upstream: str,
        kind: ErrorKind,
        why: str,
        since: datetime | None = None,
        *,
        code: int | None = None,
        data: Any = None,
    ):
        self.upstream, self.kind, self.why, self.since = upstream, kind, why, since or now()
        self.code, self.data = code, data
        super().__init__(f"server {upstream!r}: {self._what()}; {why or 'no reason is known'}; {_ADVICE[kind]}")

    def _what(self) -> str:
        since = f"{self.since:%Y-%m-%d %H:%M:%S} UTC"
        return {
            "connecting": f"still connecting since {since}",
            "down": f"down since {since}",
            "unauthorized": f"not authorized since {since}",
            "timeout": "no answer in time",
            "died": "the connection ended during the request",
            "protocol": "the request failed",
        }[self.kind]


def now() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


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
    too_large = _STREAM_LIMIT in error.message or values_error() in error.message
    if too_large or error.code in (TOO_LARGE, UNREADABLE, types.PARSE_ERROR):
        return "result"
    return "protocol"


def as_result(error: MCPError, most: int) -> types.CallToolResult:
    """Return an answer that could not be read, as the result of a call, which shows it or its size."""
    text = error.message
    if error.code == TOO_LARGE:
        wire = error_result(text)
    elif values_error() in text:
        wire = error_result(values_error())
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
