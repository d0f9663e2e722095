"""`capabilities`: which tools does this server have, and which are loaded?"""

from typing import Annotated

from pydantic import Field

from server.tools.definition import Name, Request
from server.tools.families import META
from server.tools.meta.manifest import LATEST, Manifest, detail, manifest
from server.tools.meta.session import Session, SessionTool


class CapabilitiesRequest(Request):
    """Arguments of `capabilities`."""

    accept: Annotated[Name, Field(description="document version: v1, v2 or v3")] = LATEST
    family: Annotated[Name | None, Field(description="only the tools of this family, in depth")] = None
    include_schema: Annotated[bool, Field(description="with the tools' schemas")] = False
    verbose: Annotated[bool, Field(description="with the tools' docs, and schemas in full")] = False


def capabilities(session: Session, request: CapabilitiesRequest) -> Manifest:
    """Return the manifest, or the tools of a family in depth."""
    if request.family:
        family = session.family(request.family)
        tools = [tool for tool in session.tools if tool.family == family]
    elif request.include_schema or request.verbose:
        tools = session.tools
    else:
        return manifest(session, request.accept)
    return detail(session, tools, schema=request.include_schema, verbose=request.verbose)


TOOL = SessionTool(
    name="capabilities",
    title="This server's tools",
    family=META,
    description=(
        "The tools of this MCP server itself, not what coding agents can do: which there are, which are loaded, how to "
        "use the others; ready words for the user."
    ),
    docs=(
        "Without arguments it answers with the v3 document: `summary` for you, `to_describe_to_user` to repeat to a "
        "user who asks what is there, and every family and tool with whether it is loaded. `accept` asks for v1 or v2 "
        "instead. `family`, `include_schema` and `verbose` show tools in depth: `family='match', include_schema=true, "
        "verbose=true` has their full schemas and docs."
    ),
    request=CapabilitiesRequest,
    answer=Manifest,
    handler=capabilities,
)
