"""Paths of the server besides MCP's. Imports nothing, because every start of the command imports this module."""

from typing import Final

HEALTH: Final = "/healthz"
READY: Final = "/readyz"
METRICS: Final = "/metrics"
OWN_PATHS: Final = (HEALTH, READY, METRICS)
"""Paths at which MCP cannot be served. Supervisors request them all the time."""
