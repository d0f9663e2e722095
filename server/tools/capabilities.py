"""`capabilities`: what can this server itself do, and what of it is loaded?"""

from typing import Annotated

from pydantic import Field

from server.caller import Caller
from server.manifest import LATEST, Manifest, detail, manifest
from server.tools.definition import Request, Tool
from server.tools.families import META


class CapabilitiesRequest(Request):
    """Arguments of `capabilities`."""

    accept: Annotated[str, Field(description="document version: v1, v2 or v3")] = LATEST
    family: Annotated[str | None, Field(description="only the tools of this family, in depth")] = None
    include_schema: Annotated[bool, Field(description="with the tools' schemas")] = False
    verbose: Annotated[bool, Field(description="with the tools' docs, and schemas in full")] = False


def capabilities(caller: Caller, request: CapabilitiesRequest) -> Manifest:
    """The manifest, or the tools of a family in depth."""
    if request.family:
        family = caller.family(request.family)
        tools = [tool for tool in caller.tools if tool.family == family]
    elif request.include_schema or request.verbose:
        tools = caller.tools
    else:
        return manifest(caller, request.accept)
    return detail(caller, tools, schema=request.include_schema, verbose=request.verbose)


TOOL = Tool(
    name="capabilities",
    title="This server's tools",
    family=META,
    description="Which tools this server has, which are loaded, and how to use the others; ready words for the user.",
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
