"""The documents that `capabilities` returns (v1, v2 and v3), computed from the live state at every call."""

from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from typing import Any, Final, Self

from pydantic import ConfigDict, SerializeAsAny

from server import SERVER_NAME, package_version
from server.schema import trimmed
from server.tools.answers import Answer
from server.tools.definition import LocalTool, Tool
from server.tools.meta.session import RecoveryPath, Session
from server.tools.meta.surface import Naming, Profile, Surface
from server.tools.remote_tool import Outage


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
        """Return the part for an outage."""
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


LOADED_SHOWN: Final = 5
"""Maximum loaded tools that the sentence for the user names; the fixed phrasing has this number."""
UNLOADED_SHOWN: Final = 4
"""Maximum unloaded tools that it names; the fixed phrasing has this number."""

_LOADABLE: Final = "I can load them if you ask for something that needs them"
_RESTARTABLE: Final = "you can restart the server with a different profile"


def summary(
    surface: Surface,
    profile: Profile,
    naming: Naming,
    recovery: Sequence[RecoveryPath],
    holdings: Mapping[str, str] | None = None,
) -> str:
    """Return the text for the model: how many of all tools it sees, each way to use the others, and what families hold.

    Args:
        surface: all tools.
        profile: the families that are loaded.
        naming: not used; the model reads the full names, by which it calls tools.
        recovery: the ways to an unloaded tool that work here, in the order in which they are named.
        holdings: what each family holds, in a clause; families that it does not name are not described.
    """
    del naming
    total = len(surface.tools)
    visible = len(surface.visible(profile))
    ways = ", ".join(f"({letter}) {path.how}" for letter, path in zip(ascii_lowercase, recovery, strict=False))
    known = holdings or {}
    held = "; ".join(f"{name} — {known[name]}" for name in surface.families if name in known)
    return (
        f"{visible} of {total} tools are advertised in tools/list under the current profile ({profile.label}). "
        f"The other {total - visible} are listed in this manifest but NOT directly callable."
        + (f" Families: {held}." if held else "")
        + (f" To use any unloaded tool, choose one of: {ways}." if ways else "")
    )


def describe_to_user(surface: Surface, profile: Profile, naming: Naming, recovery: Sequence[RecoveryPath]) -> str:
    """Return the sentence to repeat to a user who asks which tools there are; free of protocol jargon.

    Tools that are always on serve the model, so neither count includes them.

    Args:
        surface: all tools.
        profile: the families that are loaded.
        naming: how users speak of the tools.
        recovery: the ways to an unloaded tool that work here.
    """
    visible = set(surface.visible(profile))
    told = [tool for tool in surface.tools if tool not in surface.always_on]
    loaded = [tool for tool in told if tool in visible]
    unloaded = [tool for tool in told if tool not in visible]
    ellipsis = ", ..." if len(loaded) > LOADED_SHOWN else ""
    named = _in_brackets(naming.plain(loaded)[:LOADED_SHOWN], ellipsis)
    plural = "" if len(loaded) == 1 else "s"
    if not told:
        return f"There are no {naming.noun} tools for me to use here."
    if not unloaded:
        return (
            f"I can directly use all {len(loaded)} {naming.noun} tool{plural} right now{named}. "
            f"Nothing more to load — the full {naming.noun} surface is already active."
        )
    others = _in_brackets(naming.plain(unloaded)[:UNLOADED_SHOWN], ", etc.")
    ways = [_LOADABLE] if any(path.kind != "restart" for path in recovery) else []
    ways += [_RESTARTABLE] if any(path.kind == "restart" for path in recovery) else []
    on_demand = f" are available on demand — {', or '.join(ways)}." if ways else " are not available here."
    return (
        f"I can directly use {len(loaded)} {naming.noun} tool{plural} right now{named}. "
        f"{len(unloaded)} more{others}{on_demand}"
    )


def called_summary(surface: Surface, always_on: str, advertised: int) -> str:
    """Return the text for the model where tools are called through `call_tool`, and nothing is loaded.

    Args:
        surface: all tools.
        always_on: the family of the server's own tools.
        advertised: the number of other servers' tools in the caller's list.
    """
    listed = f" {advertised} of them can be called by name." if advertised else ""
    return (
        f"{_by_server(surface, always_on)}. Find the one for a need with search_tools, then call it with "
        f"call_tool(name=<tool>, arguments=<object>).{listed}"
    )


def describe_called_to_user(surface: Surface, always_on: str) -> str:
    """Return the sentence for a user where tools are called through `call_tool`."""
    return f"I can use {_by_server(surface, always_on)}."


def _by_server(surface: Surface, always_on: str) -> str:
    """Return `23 tools of 2 servers (git: 12, files: 11)`."""
    counts = {name: len(tools) for name, tools in surface.families.items() if name != always_on}
    tools = sum(counts.values())
    named = ", ".join(f"{name}: {count}" for name, count in counts.items())
    return f"{tools} tool{_s(tools)} of {len(counts)} server{_s(len(counts))}" + (f" ({named})" if named else "")


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _in_brackets(names: Sequence[str], ending: str) -> str:
    return f" ({', '.join(names)}{ending})" if names else ""


VERSIONS: Final = ("v1", "v2", "v3")
LATEST: Final = VERSIONS[-1]


def manifest(session: Session, version: str = LATEST) -> Manifest:
    """Return the document in a version; for an unknown version, the latest."""
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
    for_model, for_user = _sentences(session)
    return Manifest(
        schema_version="3",
        server=server,
        profile=session.profile.label,
        summary=for_model,
        to_describe_to_user=for_user,
        agent_permitted_families=list(session.permitted) if session.restricted else None,
        families=families,
        tools=[described(session, tool) for tool in session.tools],
    )


def _sentences(session: Session) -> tuple[str, str]:
    """Return the texts for the model and for the user."""
    if _is_called(session):
        own = session.families.always_on
        advertised = sum(session.is_loaded(tool) for tool in session.tools if tool.family != own)
        return called_summary(session.surface, own, advertised), describe_called_to_user(session.surface, own)
    about = (session.surface, session.profile, session.naming, session.recovery)
    return summary(*about, session.families.holdings), describe_to_user(*about)


def _is_called(session: Session) -> bool:
    """Return whether `call_tool` is the way to all tools: none is loaded on demand or at another start."""
    return [path.tool for path in session.recovery] == ["call_tool"]


def detail(session: Session, tools: list[Tool], *, schema: bool, verbose: bool) -> Manifest:
    """Return the latest document with nothing but tools, in depth.

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
    """Return a tool as the caller sees it, in as much depth as requested."""
    loaded = session.is_loaded(tool)
    ready = tool.name not in session.outages and tool.family not in session.outages
    answer = tool.output_schema if schema else None
    return ManifestTool(
        name=tool.name,
        family=tool.family,
        loaded=loaded,
        callable_now=ready and (loaded or _is_called(session)),
        title=tool.title if more else None,
        description=tool.description if more else None,
        input_schema=_arguments(tool, whole=verbose) if schema else None,
        output_schema=answer if verbose or answer is None else trimmed(answer),
        docs=tool.docs if verbose else None,
    )


def _arguments(tool: Tool, *, whole: bool) -> dict[str, Any]:
    if whole:
        return tool.input_schema
    return tool.brief_schema if isinstance(tool, LocalTool) else trimmed(tool.input_schema)


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
