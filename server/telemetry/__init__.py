"""Telemetry of requests: logs, metrics, spans."""
