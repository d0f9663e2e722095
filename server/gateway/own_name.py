"""Keeps upstreams apart from the gateway's own family of tools, which everyone may use."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Final

from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.tool_catalog.names import server_prefixes

OWN: Final = "gateway"
"""The family of the gateway's own tools. No server's tools have this name before the separator."""


def told_apart(configs: Sequence[UpstreamConfig]) -> dict[str, UpstreamConfig]:
    """The configurations by the names that they have in their files; who would be called `OWN` gets another name."""
    taken = {config.name for config in configs}
    found = {}
    for config in configs:
        name = config.name if not _is_own(config.name) else _another(taken)
        taken.add(name)
        found[config.name] = config if name == config.name else replace(config, name=name)
    return found


def _is_own(name: str) -> bool:
    return server_prefixes([name])[name].casefold() == OWN


def _another(taken: set[str]) -> str:
    names = (f"{OWN}-server{'' if number == 1 else f'-{number}'}" for number in count(1))
    return next(name for name in names if name not in taken)
