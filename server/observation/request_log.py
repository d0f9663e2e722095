"""The log of requests: a record each, without what was asked unless the operator wants it."""

import json
import logging
from typing import Any, Final

from mcp_types import INTERNAL_ERROR

from server.http.requests import HttpObservation
from server.observation.observe import Observation

logger = logging.getLogger(__name__)

LOGGED_ARGUMENTS: Final = 1000
"""Characters of a call's arguments in the log."""


class RequestLog:
    """Writes observations as log records, whose fields stand in `extra`."""

    def __init__(self, *, phrases: bool = False) -> None:
        """Log requests; with `phrases` the arguments of calls, too, which hold what people asked."""
        self._phrases = phrases

    def request(self, seen: Observation) -> None:
        """Log an MCP request. A fault of the server is an error, a caller's mistake none."""
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
        _log("request", fields, logging.ERROR if seen.outcome == str(INTERNAL_ERROR) else logging.INFO)

    def refusal(self, seen: HttpObservation) -> None:
        """Log an HTTP request that was not answered as asked: by its status, whoever sent it."""
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
