"""Transports to upstreams: a process's standard streams, streamable HTTP, and legacy SSE."""
