"""Handlers of MCP requests that list, read and complete resources."""

from typing import TYPE_CHECKING, Final, cast

import mcp_types as types

from embeddings.errors import PhraseError
from server.errors import CallerError, brief
from server.protocol.errors import bad_resource, fault
from server.protocol.resources import KINDS, MIME_TYPE, complete, read_resource
from server.protocol.worker_threads import WorkerThreads
from server.tools.answers import Answer, as_text
from server.tools.meta.manifest import manifest
from server.toolset.session import CallerSession
from server.toolset.toolset import Context, Toolset

if TYPE_CHECKING:
    from server.matching.service import Service

MANIFEST_URI: Final = "capabilities://manifest"

MOST_COMPLETIONS: Final = 100
"""Maximum values in one completion; the protocol's limit."""


class ResourceHandlers:
    """Handlers of resource requests to a server of the agents' catalog; the toolset tells what each caller may read."""

    def __init__(self, toolset: Toolset, threads: WorkerThreads) -> None:
        """Look up permissions in `toolset`, and read resources in `threads`."""
        self._toolset = toolset
        self._threads = threads

    async def list_resources(
        self, context: Context, _: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """The manifest, and the categories if the caller may read answers."""
        resources = [
            types.Resource(
                uri=MANIFEST_URI,
                name="manifest",
                title="This server's tools",
                description="Which tools there are, which are loaded, and how to use the others.",
                mime_type=MIME_TYPE,
            )
        ]
        session = self._toolset.session(context)
        if session.may_read_answers:
            resources += [
                types.Resource(uri=f"capabilities://category/{name}", name=name, title=name, mime_type=MIME_TYPE)
                for name in _agents(session).catalog.categories
            ]
        return types.ListResourcesResult(resources=resources)

    async def list_templates(
        self, context: Context, _: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """The templates of addresses, if the caller may read answers."""
        templates = [
            types.ResourceTemplate(
                uri_template=kind.template,
                name=kind.name,
                title=kind.title,
                description=kind.description,
                mime_type=MIME_TYPE,
            )
            for kind in (KINDS if self._toolset.session(context).may_read_answers else ())
        ]
        return types.ListResourceTemplatesResult(resource_templates=templates)

    async def read(self, context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """The answer at an address.

        Raises:
            MCPError: no resource has this address, or the caller may not read it.
        """
        uri = str(params.uri)
        session = self._toolset.session(context)
        try:
            if uri == MANIFEST_URI:
                answer: Answer = manifest(session)
            elif session.may_read_answers:
                answer = await self._threads.run(read_resource, _agents(session), uri)
            else:
                raise CallerError(
                    f"resource {brief(uri)} is not permitted for this caller; it holds the answer of a core tool, "
                    f"and the caller may not use the core family; read {MANIFEST_URI} to see what is permitted"
                )
        except (CallerError, PhraseError) as error:
            raise bad_resource(uri, error) from error
        except Exception as error:
            raise fault("reading the resource") from error
        contents = types.TextResourceContents(uri=params.uri, mime_type=MIME_TYPE, text=as_text(answer.to_json()))
        return types.ReadResourceResult(contents=[contents])

    async def complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """Values for a template's variable; none if the variable is unknown or the caller may not read answers."""
        values: list[str] = []
        session = self._toolset.session(context)
        if session.may_read_answers and isinstance(params.ref, types.ResourceTemplateReference):
            values = complete(_agents(session).catalog, params.ref.uri, params.argument.name, params.argument.value)
        shown = values[:MOST_COMPLETIONS]
        return types.CompleteResult(
            completion=types.Completion(values=shown, total=len(values), has_more=len(values) > len(shown))
        )


def _agents(session: CallerSession) -> "Service":
    """The session's service; only a server of the agents' catalog has resources."""
    return cast("Service", session.offer.service)
