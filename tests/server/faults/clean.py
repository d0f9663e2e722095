"""Checks of every response, whatever was sent: no fault of the server, and nothing of its inside."""

import json
import re
from typing import Any, Final

from mcp_types import INTERNAL_ERROR

SHED: Final = (503, 504)
"""Too many at once, or too slow: refusals that are meant."""

_TRACEBACK: Final = re.compile(r'Traceback \(most recent|File \\*"[^"\n]+", line \d+')


def assert_clean(status: int, text: str) -> None:
    """Fail on a status of a crash, on a piece of a traceback, and on a JSON-RPC error that owns up to a fault."""
    assert 200 <= status < 500 or status in SHED, (status, text[:500])
    assert not _TRACEBACK.search(text), text[:2000]
    for message in messages_in(text):
        error = message.get("error")
        if isinstance(error, dict):
            assert error.get("code") != INTERNAL_ERROR, text[:500]
            data = error.get("data")
            assert not isinstance(data, dict) or data.get("reason") != "internal", text[:500]


def assert_refused(status: int, text: str, *, or_acknowledged: bool = False) -> None:
    """Fail unless a request got a JSON-RPC error and no result.

    Args:
        status: of the response.
        text: its body.
        or_acknowledged: what was sent may be taken for a notification, which has no answer.
    """
    assert_clean(status, text)
    if or_acknowledged and status == 202:
        assert not text
        return
    (message,) = messages_in(text)
    assert "result" not in message, text[:500]
    assert isinstance(message["error"]["code"], int), text[:500]
    assert message["error"]["message"], text[:500]


def messages_in(text: str) -> list[dict[str, Any]]:
    """Return the JSON objects of a body: the body itself, or the data of each of its events."""
    events = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")]
    found = []
    for part in events or [text]:
        try:
            value = json.loads(part)
        except ValueError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found
