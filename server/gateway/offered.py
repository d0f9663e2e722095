"""Which of an upstream's tools are offered."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

import mcp_types as types

from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.tool_catalog.kept.cached_lists import redacted_tool


def offered_tools(config: UpstreamConfig, tools: Sequence[types.Tool]) -> list[types.Tool]:
    """The tools that the configuration does not leave out, without its secrets in their texts."""
    return [redacted_tool(tool, config.secrets) for tool in chosen(config, tools)]


def chosen(config: UpstreamConfig, tools: Sequence[types.Tool]) -> list[types.Tool]:
    """The tools that the configuration does not leave out."""
    return [
        tool
        for tool in tools
        if (not config.include or any(fnmatchcase(tool.name, pattern) for pattern in config.include))
        and not any(fnmatchcase(tool.name, pattern) for pattern in config.exclude)
    ]
