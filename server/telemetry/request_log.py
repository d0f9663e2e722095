"""The request log: one record per request, without its arguments unless the operator wants them."""

import json
import logging
from typing import Any, Final

from mcp_types import INTERNAL_ERROR

from server.http.requests import HttpObservation
from server.telemetry.middleware import Observation

logger = logging.getLogger(__name__)

LOGGED_ARGUMENTS: Final = 1000
"""Characters of a call's arguments in the log; longer ones are cut."""


class RequestLog:
    """Writes observations as log records, with their fields in `extra`."""

    def __init__(self, *, phrases: bool = False) -> None:
        """Log requests; with `phrases`, also the arguments of calls, which contain users' phrases."""
        self._phrases = phrases

    def request(self, seen: Observation) -> None:
        """Log an MCP request: at level ERROR for a fault of the server, at INFO otherwise."""
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
