"""The last known tools of each upstream, so that the first answer after a start knows what lies behind."""

import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import mcp_types
from pydantic import ValidationError

from server.errors import CallerError
from server.gateway.configuration.upstream_config import UpstreamConfig, redacted
from server.gateway.tool_catalog.gateway_tool import digest
from server.gateway.tool_catalog.guards import ANY_ARGUMENTS, excess
from server.gateway.tool_catalog.json_file import read_object, write_object
from server.matching.vector_cache import cache_folder

logger = logging.getLogger(__name__)

FOLDER: Final = "gateway-lists"

MAX_FILES: Final = 256
"""Maximum number of lists that are kept; the oldest goes first."""

ANY_SCHEMA: Final = {"inputSchema": ANY_ARGUMENTS}

LARGEST: Final = 16 << 20
"""Maximum bytes of a list that is kept; a thousand tools take about one million."""


class CachedLists:
    """Lists of tools in the user's cache folder, without the configuration's secrets."""

    def __init__(self, folder: Path | None = None) -> None:
        """Keep lists in a folder (default: in the user's cache folder; without one, nothing is kept)."""
        self._folder = folder or _usual_folder()

    def find(self, config: UpstreamConfig) -> tuple[mcp_types.Tool, ...] | None:
        """Return the tools that an upstream had; None if they are not known."""
        content = read_object(self._folder / _file_name(config)) if self._folder else None
        listed = content.get("tools") if content else None
        if not isinstance(listed, list):
            return None
        try:
            return tuple(mcp_types.Tool.model_validate(tool) for tool in listed)
        except ValidationError as error:
            logger.debug("the cached list of %r is not used: %s", config.name, error.title)
            return None

    def keep(self, config: UpstreamConfig, tools: Sequence[mcp_types.Tool]) -> None:
        """Remember the tools of an upstream; log a warning if that fails."""
        if not self._folder:
            return
        plain = [_without(_stored(tool), config.secrets) for tool in tools]
        if len(json.dumps(plain)) > LARGEST:
            logger.warning("the tools of %r take more than %s bytes; they are not cached", config.name, f"{LARGEST:,}")
            return
        path = self._folder / _file_name(config)
        try:
            write_object(path, {"server": redacted(config.name, config.secrets), "tools": plain})
        except CallerError as error:
            logger.warning("%s; the next start does not know the tools of %r", error, config.name)
            return
        _prune(path)


def identity(config: UpstreamConfig) -> str:
    """Tells upstreams apart by how they are reached, without their secrets: hex sha256."""
    start = [config.name, config.transport, config.command or "", *config.args, config.url or "", str(config.cwd or "")]
    return digest([redacted(text, config.secrets) for text in start])


def _file_name(config: UpstreamConfig) -> str:
    return f"{identity(config)[:32]}.json"


def redacted_tool(tool: mcp_types.Tool, secrets: frozenset[str]) -> mcp_types.Tool:
    """Return the tool without secrets in its texts, for upstreams that repeat what they were given; its name stays."""
    if not secrets:
        return tool
    plain = mcp_types.Tool.model_validate(_without(_stored(tool), secrets))
    # Schemas that are too large stay as they are: the text guard replaces them.
    large = {field: getattr(tool, field) for field in _too_large(tool)}
    return plain.model_copy(update={"name": tool.name, **large})


def _too_large(tool: mcp_types.Tool) -> set[str]:
    return {field for field in ("input_schema", "output_schema") if excess(getattr(tool, field))}


def _stored(tool: mcp_types.Tool) -> dict[str, Any]:
    """Return the tool as JSON, without schemas that are too large and what is not shown to models."""
    value = tool.model_dump(by_alias=True, exclude_none=True, exclude={"icons", "meta", *_too_large(tool)})
    return ANY_SCHEMA | value


def _without(value: Any, secrets: frozenset[str]) -> Any:
    if isinstance(value, dict):
        return {redacted(key, secrets): _without(part, secrets) for key, part in value.items()}
    if isinstance(value, list):
        return [_without(part, secrets) for part in value]
    return redacted(value, secrets) if isinstance(value, str) else value


def _usual_folder() -> Path | None:
    try:
        return cache_folder() / FOLDER
    except OSError as error:
        logger.warning("lists of tools are not kept: %s", error)
        return None


def _prune(newest: Path) -> None:
    try:
        kept = sorted(newest.parent.glob("*.json"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
        for old in kept[MAX_FILES:]:
            if old != newest:
                old.unlink(missing_ok=True)
    except OSError as error:
        logger.debug("old lists stay: %s", error)
