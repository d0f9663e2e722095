"""Logs output of upstreams that is not a message, at debug level, redacted and bounded."""

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

from embeddings.text.invisible import escaped
from server.gateway.configuration.upstream_config import redacted

logger = logging.getLogger(__name__)

_LINE: Final = 500
_BURST: Final = 50
_SECONDS: Final = 10.0
_REMEMBERED: Final = 3
_SDK_LOGGERS: Final = (
    "client",
    "mcp.client.auth.oauth2",
    "mcp.client.client",
    "mcp.client.streamable_http",
    "mcp.shared.jsonrpc_dispatcher",
)
"""Loggers of the SDK's client that repeat what a server or a request holds."""


class Noise:
    """Logs lines of one upstream, at most 50 in ten seconds, and remembers the last three.

    Args:
        name: the upstream's.
        secrets: what no line may show.
        clock: gives seconds.
    """

    def __init__(self, name: str, secrets: Iterable[str], clock: Callable[[], float] = time.monotonic):
        self._name, self._secrets, self._clock = name, tuple(secrets), clock
        self._began, self._count = clock(), 0
        self.last: deque[str] = deque(maxlen=_REMEMBERED)

    def note(self, line: str, stream: str = "stderr") -> None:
        """Log a line of a stream."""
        text = escaped(redacted(line.strip(), self._secrets))[:_LINE]
        if not text:
            return
        if stream == "stderr":
            self.last.append(text)
        if self._clock() - self._began > _SECONDS:
            self._began, self._count = self._clock(), 0
        self._count += 1
        if self._count <= _BURST:
            logger.debug("server %s wrote to %s: %s", self._name, stream, text)
        elif self._count == _BURST + 1:
            logger.debug(
                "server %s writes more than %d lines in %g s; the rest is left out", self._name, _BURST, _SECONDS
            )


class _Redacting(logging.Filter):
    """Lets the SDK's records pass only while debugging, without secrets and tracebacks, which show messages."""

    def __init__(self) -> None:
        super().__init__()
        self.secrets: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        if not logger.isEnabledFor(logging.DEBUG):
            return False
        text = redacted(record.getMessage(), self.secrets)
        if record.exc_info and record.exc_info[0]:
            text = f"{text} ({record.exc_info[0].__name__})"
        record.msg, record.args, record.exc_info, record.exc_text = text[:_LINE], (), None, None
        return True


_filter: Final = _Redacting()


def quiet_sdk(secrets: Iterable[str]) -> None:
    """Keep secrets out of the SDK's log, and its errors about upstreams at debug; their states say the same."""
    _filter.secrets.update(secrets)
    for name in _SDK_LOGGERS:
        logging.getLogger(name).addFilter(_filter)
