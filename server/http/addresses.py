"""Addresses of the server beside MCP's own; nothing is imported, as the command line reads this at every start."""

from typing import Final

HEALTH: Final = "/healthz"
READY: Final = "/readyz"
METRICS: Final = "/metrics"

OWN_PATHS: Final = (HEALTH, READY, METRICS)
"""Where MCP cannot be, and which are asked all the time."""
