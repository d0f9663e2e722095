"""The documents that `capabilities` returns (v1, v2 and v3), computed from the live state at every call."""

from typing import Any, Final

from server import SERVER_NAME, package_version
from server.schema import trimmed
from server.tools.definition import Tool
from server.tools.meta.manifest_parts import (
    Manifest,
    ManifestFamily,
    ManifestTool,
    NotReady,
    ServerIdentity,
    WaitingFamily,
)
from server.tools.meta.self_description import describe_to_user, summary
from server.tools.meta.session import Session

VERSIONS: Final = ("v1", "v2", "v3")
LATEST: Final = VERSIONS[-1]


def manifest(session: Session, version: str = LATEST) -> Manifest:
    """The document in a version; for an unknown version, the latest."""
    if version == "v1":
        return Manifest(
            schema_version="1",
            tools=[tool.name for tool in session.tools if session.is_loaded(tool)],
            total=len(session.tools),
        )
    families = [_family(session, name) for name in session.permitted]
    server = ServerIdentity(name=SERVER_NAME, version=package_version())
    if version == "v2":
        return Manifest(schema_version="2", server=server, profile=session.profile.label, families=families)
    about = (session.surface, session.profile, session.naming, session.recovery)
    return Manifest(
        schema_version="3",
        server=server,
        profile=session.profile.label,
        summary=summary(*about, session.families.holdings),
        to_describe_to_user=describe_to_user(*about),
        agent_permitted_families=list(session.permitted) if session.restricted else None,
        families=families,
        tools=[described(session, tool) for tool in session.tools],
    )


def detail(session: Session, tools: list[Tool], *, schema: bool, verbose: bool) -> Manifest:
    """The latest document with nothing but tools, in depth.

    Args:
        session: whose view it is.
        tools: those to describe.
        schema: include the schemas of arguments and answer.
        verbose: include the long explanation, and do not trim the schemas.
    """
    return Manifest(
        schema_version="3",
        profile=session.profile.label,
        tools=[described(session, tool, schema=schema, verbose=verbose, more=True) for tool in tools],
    )


def described(
    session: Session, tool: Tool, *, schema: bool = False, verbose: bool = False, more: bool = False
) -> ManifestTool:
    """A tool as the caller sees it, in as much depth as requested."""
    loaded = session.is_loaded(tool)
    ready = tool.name not in session.outages and tool.family not in session.outages
    answer = tool.output_schema if schema else None
    return ManifestTool(
        name=tool.name,
        family=tool.family,
        loaded=loaded,
        callable_now=loaded and ready,
        title=tool.title if more else None,
        description=tool.description if more else None,
        input_schema=_shown(tool.input_schema, verbose) if schema else None,
        output_schema=_shown(answer, verbose) if answer is not None else None,
        docs=tool.docs if verbose else None,
    )


def _shown(schema: dict[str, Any], whole: bool) -> dict[str, Any]:
    return schema if whole else trimmed(schema)


def _family(session: Session, name: str) -> ManifestFamily:
    tools = [tool for tool in session.tools if tool.family == name]
    shown = ManifestFamily(
        name=name,
        description=session.families.holdings[name],
        tools=[tool.name for tool in tools],
        loaded=bool(tools) and all(session.is_loaded(tool) for tool in tools),
    )
    outage = session.outages.get(name)
    return WaitingFamily(**shown.model_dump(), not_ready=NotReady.of(outage)) if outage else shown
