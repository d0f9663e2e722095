"""The tool surface as documents: `capabilities` v1, v2 and v3, computed from the live state at every call."""

from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from server import package_version
from server.answers import Answer
from server.caller import Caller
from server.schemas import wire_schema
from server.self_description import describe_to_user, summary
from server.start import NAMING
from server.tools.definition import Tool
from server.tools.families import FAMILIES
from server.wire import trimmed

SERVER_NAME: Final = "agent-capabilities"
VERSIONS: Final = ("v1", "v2", "v3")
LATEST: Final = VERSIONS[-1]


class ManifestPart(Answer):
    """A part of a manifest: snake_case outside as well."""

    model_config = ConfigDict(alias_generator=None, populate_by_name=True, frozen=True, defer_build=True)


class ServerIdentity(ManifestPart):
    """Who serves."""

    name: str
    version: str


class ManifestFamily(ManifestPart):
    """A family and its tools."""

    name: str
    description: str
    tools: list[str]
    loaded: bool


class ManifestTool(ManifestPart):
    """A tool; the parts below `callable_now` are there when they are asked for."""

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
    """A version of the document; `tools` are names in v1."""

    schema_version: str
    server: ServerIdentity | None = None
    profile: str | None = None
    summary: str | None = None
    to_describe_to_user: str | None = None
    agent_permitted_families: list[str] | None = None
    families: list[ManifestFamily] | None = None
    tools: list[str] | list[ManifestTool] | None = None
    total: int | None = None


def manifest(caller: Caller, version: str = LATEST) -> Manifest:
    """The document of a version; of the latest for a version that is not known."""
    if version == "v1":
        return Manifest(
            schema_version="1",
            tools=[tool.name for tool in caller.tools if caller.is_loaded(tool)],
            total=len(caller.tools),
        )
    families = [_family(caller, name) for name in caller.permitted]
    server = ServerIdentity(name=SERVER_NAME, version=package_version())
    if version == "v2":
        return Manifest(schema_version="2", server=server, profile=caller.profile.label, families=families)
    about = (caller.surface, caller.profile, NAMING, caller.recovery)
    return Manifest(
        schema_version="3",
        server=server,
        profile=caller.profile.label,
        summary=summary(*about),
        to_describe_to_user=describe_to_user(*about),
        agent_permitted_families=list(caller.permitted) if caller.restricted else None,
        families=families,
        tools=[described(caller, tool) for tool in caller.tools],
    )


def detail(caller: Caller, tools: list[Tool], *, schema: bool, verbose: bool) -> Manifest:
    """The latest document's tools alone, in depth.

    Args:
        caller: whose view it is.
        tools: those to describe.
        schema: with the schemas of arguments and answer.
        verbose: with the long explanation, and nothing trimmed from the schemas.
    """
    return Manifest(
        schema_version="3",
        profile=caller.profile.label,
        tools=[described(caller, tool, schema=schema, verbose=verbose, more=True) for tool in tools],
    )


def described(
    caller: Caller, tool: Tool, *, schema: bool = False, verbose: bool = False, more: bool = False
) -> ManifestTool:
    """A tool as it stands for the caller, as deep as asked for."""
    loaded = caller.is_loaded(tool)
    return ManifestTool(
        name=tool.name,
        family=tool.family,
        loaded=loaded,
        callable_now=loaded,
        title=tool.title if more else None,
        description=tool.description if more else None,
        input_schema=_schema(tool.request, "validation", verbose) if schema else None,
        output_schema=_schema(tool.answer, "serialization", verbose) if schema else None,
        docs=tool.docs if verbose else None,
    )


def _schema(model: type[BaseModel], mode: str, whole: bool) -> dict[str, Any]:
    schema = wire_schema(model, mode=mode)
    return schema if whole else trimmed(schema)


def _family(caller: Caller, name: str) -> ManifestFamily:
    tools = [tool for tool in caller.tools if tool.family == name]
    return ManifestFamily(
        name=name,
        description=FAMILIES[name],
        tools=[tool.name for tool in tools],
        loaded=all(caller.is_loaded(tool) for tool in tools),
    )
