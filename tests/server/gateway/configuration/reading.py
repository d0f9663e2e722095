"""Writes configuration files and reads them."""

import json
from collections.abc import Mapping
from pathlib import Path

from server.gateway.configuration.configurations import read_configurations
from server.gateway.configuration.references import Question
from server.gateway.configuration.upstream_config import Configuration, UpstreamConfig


def written(path: Path, content: object) -> Path:
    """Return a file with this text, or with this value as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def nobody(question: Question) -> None:
    """Nobody answers."""


def read(*paths: Path, cwd: Path | None = None, **environment: str) -> Configuration:
    """Read configuration files with only these variables set."""
    return read_configurations(paths, cwd=cwd or paths[0].parent, environment=environment, ask=nobody)


def read_one(path: Path, cwd: Path | None = None, **environment: str) -> UpstreamConfig:
    """Return the only server of a file."""
    configuration = read(path, cwd=cwd, **environment)
    assert configuration.reports == ()
    (upstream,) = configuration.upstreams
    return upstream


def one(folder: Path, entry: Mapping[str, object], name: str = "one.json", **environment: str) -> UpstreamConfig:
    """Return the server of an entry under `mcpServers`."""
    return read_one(written(folder / name, {"mcpServers": {"one": entry}}), None, **environment)


def left_out(folder: Path, entry: Mapping[str, object], name: str = "one.json", **environment: str) -> str:
    """Return the report about the only server of a file, which is left out."""
    configuration = read(written(folder / name, {"mcpServers": {"one": entry}}), cwd=None, **environment)
    assert configuration.upstreams == ()
    (report,) = configuration.reports
    assert report.count("; ") >= 2
    return report
