"""Reports the outcome of each request to observers, which log or count it; one of them is the request log."""

import json
import logging
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR
from pydantic import ValidationError

from server.http.requests import HttpObservation, request_id
from server.toolset.toolset import identity

logger = logging.getLogger(__name__)

OTHER: Final = "other"
"""Label for unknown methods and tools: a name that a client made up could be anything, even a phrase or a secret."""


@dataclass(frozen=True)
class Observation:
    """One MCP request, or one of the page.

    Attributes:
        request: id of its HTTP request; None over stdio.
        method: the JSON-RPC method; "other" if the server has no such method, "page" for the page's requests.
        tool: the tool that was called; "other" if there is no such tool, None unless the method is `tools/call`. The
            endpoint, for the page's requests.
        caller: name of the caller's token; None if the server uses no tokens.
        outcome: "ok", "tool_error" (the caller's mistake), "cancelled", or the code of a JSON-RPC error. The HTTP
            status of what the page is refused.
        decision: the answer's decision; None if it has none.
        seconds: time from the request's arrival at the server to its result.
        arguments: the tool's arguments, as the client sent them.
    """

    request: str | None
    method: str
    tool: str | None
    caller: str | None
    outcome: str
    decision: str | None
    seconds: float
    arguments: Any


Observer = Callable[[Observation], None]


class RequestMiddleware(ServerMiddleware[Any]):
    """Calls observers after every request, but not after notifications."""

    def __init__(self, observers: Sequence[Observer], methods: Callable[[str], bool], tools: Collection[str]) -> None:
        """Report requests to `observers`.

        Args:
            observers: called on the event loop, so they must be quick.
            methods: tells whether the server has a method.
            tools: names of all tools.
        """
        self._observers = observers
        self._methods = methods
        self._tools = tools

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Pass a message on and observe its outcome."""
        if ctx.request_id is None:
            return await call_next(ctx)
        start = time.perf_counter()
        outcome, decision = "cancelled", None
        try:
            result = await call_next(ctx)
            outcome, decision = _outcome(result)
            return result
        except MCPError as error:
            outcome = str(error.error.code)
            raise
        except ValidationError:
            outcome = str(types.INVALID_PARAMS)
            raise
        except Exception:
            outcome = str(types.INTERNAL_ERROR)
            raise
        finally:
            self._report(ctx, outcome, decision, time.perf_counter() - start)

    def _report(self, ctx: ServerRequestContext[Any, Any], outcome: str, decision: str | None, seconds: float) -> None:
        called = ctx.method == "tools/call"
        params = ctx.params or {}
        name = params.get("name")
        observation = Observation(
            request=request_id(ctx.request.scope) if ctx.request is not None else None,
            method=ctx.method if self._methods(ctx.method) else OTHER,
            tool=(name if isinstance(name, str) and name in self._tools else OTHER) if called else None,
            caller=identity(ctx) if ctx.request is not None else None,
            outcome=outcome,
            decision=decision,
            seconds=seconds,
            arguments=params.get("arguments") if called else None,
        )
        report(observation, self._observers)


def report(observation: Observation, observers: Sequence[Observer]) -> None:
    """Call observers; one that fails is logged, and does not change the caller's answer."""
    for observer in observers:
        try:
            observer(observation)
        except Exception:
            logger.exception("an observer of requests failed")


def _outcome(result: HandlerResult) -> tuple[str, str | None]:
    """Outcome and decision of a result that is ready to be sent."""
    value = result if isinstance(result, dict) else {}
    content = value.get("structuredContent")
    decision = content.get("decision") if isinstance(content, dict) else None
    return "tool_error" if value.get("isError") is True else "ok", decision if isinstance(decision, str) else None


LOGGED_ARGUMENTS: Final = 1000
"""Characters of a call's arguments in the log; longer ones are cut."""


_FAULTS: Final = {str(INTERNAL_ERROR), "500"}


class RequestLog:
    """Writes observations as log records, with their fields in `extra`."""

    def __init__(self, *, phrases: bool = False) -> None:
        """Log requests; with `phrases`, also the arguments of calls, which contain users' phrases."""
        self._phrases = phrases

    def request(self, seen: Observation) -> None:
        """Log a request: at level ERROR for a fault of the server, at INFO otherwise."""
        fields: dict[str, Any] = {
            "request": seen.request,
            "method": seen.method,
            "tool": seen.tool,
            "caller": seen.caller,
            "outcome": seen.outcome,
            "decision": seen.decision,
            "milliseconds": round(seen.seconds * 1e3, 1),
        }
        if self._phrases and seen.arguments is not None:
            fields["arguments"] = _shown(seen.arguments)
        _log("request", fields, logging.ERROR if seen.outcome in _FAULTS else logging.INFO)

    def refusal(self, seen: HttpObservation) -> None:
        """Log an HTTP request that failed: its status is 400 or above, or 0 because the client disconnected."""
        if seen.status >= 400 or seen.status == 0:
            milliseconds = round(seen.seconds * 1e3, 1)
            _log("refused", {"request": seen.request, "status": seen.status, "milliseconds": milliseconds})


def _shown(arguments: Any) -> str:
    try:
        return json.dumps(arguments, ensure_ascii=True)[:LOGGED_ARGUMENTS]
    except RecursionError:
        return "nested too deeply to be shown"


def _log(what: str, fields: dict[str, Any], level: int = logging.INFO) -> None:
    logger.log(level, what, extra={name: value for name, value in fields.items() if value is not None})
