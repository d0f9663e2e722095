"""`load_family`: make the tools of one family callable."""

from typing import Annotated

from pydantic import Field

from server.tools.definition import Name, Request
from server.tools.families import META
from server.tools.meta.loading import LoadedFamily, load
from server.tools.meta.session import Session, SessionTool


class LoadFamilyRequest(Request):
    """Arguments of `load_family`."""

    family: Annotated[Name, Field(description="core, match, decide or catalog")]


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
