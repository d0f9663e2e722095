"""The parts of the documents that `capabilities` returns."""

from typing import Any, Self

from pydantic import ConfigDict, SerializeAsAny

from server.tools.answers import Answer
from server.tools.remote.outages import Outage


class ManifestPart(Answer):
    """A part of a manifest: snake_case in JSON as well."""

    model_config = ConfigDict(alias_generator=None, populate_by_name=True, frozen=True, defer_build=True)


class ServerIdentity(ManifestPart):
    """The server's name and version."""

    name: str
    version: str


class NotReady(ManifestPart):
    """Why the tools of a server cannot be called now."""

    state: str
    since: str
    why: str | None = None

    @classmethod
    def of(cls, outage: Outage) -> Self:
        """The part for an outage."""
        return cls(state=outage.kind, since=outage.since.isoformat(timespec="seconds"), why=outage.why or None)


class ManifestFamily(ManifestPart):
    """A family and its tools."""

    name: str
    description: str
    tools: list[str]
    loaded: bool


class WaitingFamily(ManifestFamily):
    """A family whose server is not ready, so that its tools cannot be called now."""

    not_ready: NotReady


class ManifestTool(ManifestPart):
    """A tool; the fields after `callable_now` are present only on request."""

    name: str
    family: str
    loaded: bool
    callable_now: bool
    title: str | None = None
    description: str | None = None
    input_schema: dict[str, Any] | None = None
    output_schema: dict[str, Any] | None = None
    docs: str | None = None


class Manifest(ManifestPart):
    """The document in any of its versions; in v1, `tools` are names."""

    schema_version: str
    server: ServerIdentity | None = None
    profile: str | None = None
    summary: str | None = None
    to_describe_to_user: str | None = None
    agent_permitted_families: list[str] | None = None
    families: list[SerializeAsAny[ManifestFamily]] | None = None
    tools: list[str] | list[ManifestTool] | None = None
    total: int | None = None
