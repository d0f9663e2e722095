"""MCP's requests for resources and for completion of their addresses."""

from typing import Final

import anyio
import anyio.to_thread
import mcp_types as types

from embeddings.errors import PhraseError
from server.answers import Answer, as_text
from server.errors import CallerError, brief
from server.manifest import manifest
from server.protocol_errors import bad_resource, fault
from server.resources import KINDS, MIME_TYPE, complete, read_resource
from server.toolset import Context, Toolset

MANIFEST_URI: Final = "capabilities://manifest"

MOST_COMPLETIONS: Final = 100
"""Values in one completion; the protocol's limit."""


class ResourceHandlers:
    """Handlers over one toolset, which knows whose view of the resources a request has."""

    def __init__(self, toolset: Toolset, limiter: anyio.CapacityLimiter) -> None:
        """Answer in as many threads as `limiter` lets through."""
        self._toolset = toolset
        self._limiter = limiter

    async def list_resources(
        self, context: Context, _: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """The manifest, and the categories for whoever may read answers."""
        resources = [
            types.Resource(
                uri=MANIFEST_URI,
                name="manifest",
                title="This server's tools",
                description="Which tools there are, which are loaded, and how to use the others.",
                mime_type=MIME_TYPE,
            )
        ]
        caller = self._toolset.caller(context)
        if caller.may_read_answers:
            resources += [
                types.Resource(uri=f"capabilities://category/{name}", name=name, title=name, mime_type=MIME_TYPE)
                for name in caller.service.catalog.categories
            ]
        return types.ListResourcesResult(resources=resources)

    async def list_templates(
        self, context: Context, _: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """The kinds of addresses, for whoever may read answers."""
        templates = [
            types.ResourceTemplate(
                uri_template=kind.template,
                name=kind.name,
                title=kind.title,
                description=kind.description,
                mime_type=MIME_TYPE,
            )
            for kind in (KINDS if self._toolset.caller(context).may_read_answers else ())
        ]
        return types.ListResourceTemplatesResult(resource_templates=templates)

    async def read(self, context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """The answer at an address.

        Raises:
            MCPError: there is none, or the caller may not read it.
        """
        uri = str(params.uri)
        caller = self._toolset.caller(context)
        try:
            if uri == MANIFEST_URI:
                answer: Answer = manifest(caller)
            elif caller.may_read_answers:
                answer = await anyio.to_thread.run_sync(read_resource, caller.service, uri, limiter=self._limiter)
            else:
                raise CallerError(
                    f"resource {brief(uri)} is not permitted for this caller; it holds the answer of a core tool; "
                    f"read {MANIFEST_URI}, which says what is permitted"
                )
        except (CallerError, PhraseError) as error:
            raise bad_resource(uri, error) from error
        except Exception as error:
            raise fault("reading the resource") from error
        contents = types.TextResourceContents(uri=params.uri, mime_type=MIME_TYPE, text=as_text(answer.to_json()))
        return types.ReadResourceResult(contents=[contents])

    async def complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """Values for a variable of an address; none for what cannot be completed."""
        values: list[str] = []
        caller = self._toolset.caller(context)
        if caller.may_read_answers and isinstance(params.ref, types.ResourceTemplateReference):
            values = complete(caller.service.catalog, params.ref.uri, params.argument.name, params.argument.value)
        shown = values[:MOST_COMPLETIONS]
        return types.CompleteResult(
            completion=types.Completion(values=shown, total=len(values), has_more=len(values) > len(shown))
        )
