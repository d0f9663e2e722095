"""`load_family`: make the tools of a family callable."""

from typing import Annotated, Any, Literal

from pydantic import Field

from server.errors import CallerError
from server.tools.answers import Answer
from server.tools.definition import Name, Request, Tool
from server.tools.families import CHOOSABLE, META
from server.tools.meta.session import Session, SessionTool


class LoadedTool(Answer):
    """A tool and its arguments."""

    name: str
    description: str
    input_schema: dict[str, Any]


class LoadedFamily(Answer):
    """A family that is ready for use.

    `callBy` says whether its tools are called by their own names or through call_tool; `listChanged` is present, and
    true, if `tools/list` has changed.
    """

    family: str
    ready: Literal[True] = True
    call_by: Literal["name", "call_tool"]
    how_to_call: str
    list_changed: Literal[True] | None = None
    tools: list[LoadedTool]


def load(session: Session, family: str, best: str | None = None) -> LoadedFamily:
    """Load a permitted family if the caller has a session, and say how to call its tools.

    Args:
        session: the caller's.
        family: its name.
        best: the tool to list first, and to show as the example of a call (default: the family's first).

    Raises:
        CallerError: the family has no tools now.
    """
    tools = sorted((tool for tool in session.tools if tool.family == family), key=lambda tool: tool.name != best)
    if not tools:
        raise _empty(session, family)
    changed = session.load(family)
    loaded = all(session.is_loaded(tool) for tool in tools)
    return LoadedFamily(
        family=family,
        call_by="name" if loaded else "call_tool",
        how_to_call=_how_to_call(tools[0], loaded=loaded, always_on=family == session.families.always_on),
        list_changed=changed or None,
        tools=[
            LoadedTool(name=tool.name, description=tool.description, input_schema=tool.brief_schema) for tool in tools
        ],
    )


def _empty(session: Session, family: str) -> CallerError:
    outage = session.outages.get(family)
    if outage is None:
        return CallerError(f"family {family!r} has no tools; a family is loaded for its tools; load another one")
    return CallerError(f"family {family!r} has no tools yet; its server is {outage}; {outage.next_step}")


def _how_to_call(example: Tool, *, loaded: bool, always_on: bool) -> str:
    through = f"call_tool(name='{example.name}', arguments=<object>)"
    if always_on:
        return "Call them by name; they are always loaded."
    if loaded:
        return f"Call them by name. If your list of tools does not show them, {through} does the same."
    return f"The tools can be used now, through call_tool: {through}."


class LoadFamilyRequest(Request):
    """Arguments of `load_family`."""

    family: Annotated[Name, Field(description="the family's name", json_schema_extra={"enum": list(CHOOSABLE)})]


def load_family(session: Session, request: LoadFamilyRequest) -> LoadedFamily:
    """Load a family by its name."""
    return load(session, session.family(request.family))


TOOL = SessionTool(
    name="load_family",
    title="Load a family of tools",
    family=META,
    description="Load a family of tools (match, decide, catalog) by name; answers with their schemas and how to call.",
    docs=(
        "On a connection with a session the tools are added for that session and `tools/list` changes. Where a list "
        "may not change, nothing needs to be added: the answer's schemas and call_tool are enough to use the tools. "
        "Either way the tools are `ready`; `callBy` and `howToCall` say which of the two it is, and `listChanged` that "
        "the list has changed. Loading a family twice does nothing more."
    ),
    request=LoadFamilyRequest,
    answer=LoadedFamily,
    handler=load_family,
    read_only=False,
)
