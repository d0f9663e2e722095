"""Configures the log: it goes to stderr, as text or as JSON lines."""

import logging
import sys
from typing import Final, Literal

from embeddings.text.invisible import escaped

LogFormat = Literal["text", "json"]

NOISY: Final = ("mcp", "httpx2", "uvicorn")
"""Libraries that log every step; only their warnings and errors are kept."""


def log_warnings() -> None:
    """Send warnings to stderr as a command's messages, unless a log is configured already."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)


def configure_logging(style: LogFormat) -> None:
    """Send the process's log to stderr, because stdout carries the protocol."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_json_lines() if style == "json" else _TextLines("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for name in NOISY:
        logging.getLogger(name).setLevel(logging.WARNING)


class _TextLines(logging.Formatter):
    """A line with the record's own fields after the message, as name=value.

    Records repeat what clients send, so hidden characters are escaped: none can break the line or control a terminal.
    A traceback follows its record on lines of its own. They are indented, so no error text can look like a record.
    """

    _usual: Final = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime"}
    _indent: Final = "  "

    def format(self, record: logging.LogRecord) -> str:
        record.message = record.getMessage()
        fields = [f"{name}={value}" for name, value in record.__dict__.items() if name not in self._usual]
        details = [self.formatException(record.exc_info)] if record.exc_info else []
        if record.stack_info:
            details.append(self.formatStack(record.stack_info))
        below = [self._indent + escaped(line) for detail in details for line in detail.split("\n")]
        return "\n".join([escaped(" ".join([self.formatMessage(record), *fields])), *below])


def _json_lines() -> logging.Formatter:
    """Return one JSON object per line: time (UTC, ISO 8601), level, logger, message, and the record's own fields."""
    # Imported here so that a server with a text log starts without it.
    from pythonjsonlogger.json import JsonFormatter

    return JsonFormatter(
        ["levelname", "name", "message"], rename_fields={"levelname": "level", "name": "logger"}, timestamp="time"
    )
