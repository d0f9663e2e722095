"""Upstreams: the MCP servers behind the gateway, their connections and lives."""

from server.gateway.upstreams.forwarding import Forwarding
from server.gateway.upstreams.pool import UpstreamPool
from server.gateway.upstreams.sign_in import login
from server.gateway.upstreams.states import DEFAULT_LIMITS, Limits, UpstreamError, UpstreamInfo, UpstreamState
from server.gateway.upstreams.upstream import Upstream

__all__ = [
    "DEFAULT_LIMITS",
    "Forwarding",
    "Limits",
    "Upstream",
    "UpstreamError",
    "UpstreamInfo",
    "UpstreamPool",
    "UpstreamState",
    "login",
]
