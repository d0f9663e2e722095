"""Where log lines go, and what they look like: stderr, as text or as JSON."""

import logging
import sys
from typing import Final, Literal

LogFormat = Literal["text", "json"]

NOISY: Final = ("mcp", "httpx2", "uvicorn")
"""Libraries whose every step is no news."""


def configure_logging(style: LogFormat) -> None:
    """Send the process's log to stderr; stdout is the protocol's."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_json_lines() if style == "json" else _TextLines("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for name in NOISY:
        logging.getLogger(name).setLevel(logging.WARNING)


class _TextLines(logging.Formatter):
    """A line with the record's own fields after the message, as name=value."""

    _usual: Final = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime"}

    def format(self, record: logging.LogRecord) -> str:
        fields = [f"{name}={value}" for name, value in record.__dict__.items() if name not in self._usual]
        return " ".join([super().format(record), *fields])


def _json_lines() -> logging.Formatter:
    """One JSON object a line: time (UTC, ISO 8601), level, logger, message, and the record's own fields."""
    # Imported when wanted: the server over stdio starts without it.
    from pythonjsonlogger.json import JsonFormatter

    return JsonFormatter(
        ["levelname", "name", "message"], rename_fields={"levelname": "level", "name": "logger"}, timestamp="time"
    )
