"""What the gateway offers of an upstream, and what it calls it."""

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

import mcp_types as types

from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.search_tools import OWN
from server.gateway.tool_catalog.kept.cached_lists import redacted_tool


def told_apart(config: UpstreamConfig) -> UpstreamConfig:
    """The configuration, under a name that is not that of the gateway's own family."""
    return replace(config, name=f"{OWN}-server") if config.name.casefold() == OWN else config


def offered_tools(config: UpstreamConfig, tools: Sequence[types.Tool]) -> list[types.Tool]:
    """The tools that the configuration does not leave out, without its secrets in their texts."""
    return [
        redacted_tool(tool, config.secrets)
        for tool in tools
        if (not config.include or any(fnmatchcase(tool.name, pattern) for pattern in config.include))
        and not any(fnmatchcase(tool.name, pattern) for pattern in config.exclude)
    ]
