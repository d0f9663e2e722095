"""Resources: answers of `lookup_capability` and `list_capabilities` that have an address."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import mcp_types as types
from mcp.shared.uri_template import UriTemplate

from embeddings.errors import PhraseError
from server.catalog.catalog import Catalog
from server.errors import CallerError, brief
from server.matching.service import Service
from server.protocol.errors import bad_resource, fault
from server.protocol.worker_threads import WorkerThreads
from server.tools import list_capabilities, lookup_capability
from server.tools.answers import Answer, as_text
from server.tools.definition import checked
from server.tools.list_capabilities import list_
from server.tools.lookup_capability import lookup
from server.tools.meta.manifest import manifest
from server.toolset.session import CallerSession
from server.toolset.toolset import Context, Toolset

if TYPE_CHECKING:
    from server.matching.service import Service


MIME_TYPE: Final = "application/json"


@dataclass(frozen=True)
class ResourceKind:
    """A kind of resource, whose addresses fit one template.

    Attributes:
        template: RFC 6570 template.
        name: for programs.
        title: for people.
        description: what these resources hold.
        read: makes the answer from a service and the template's variables.
        values: for each variable, a function that lists its values.
    """

    template: str
    name: str
    title: str
    description: str
    read: Callable[[Service, dict[str, str]], Answer]
    values: dict[str, Callable[[Catalog], list[str]]]


def _capability_names(catalog: Catalog) -> list[str]:
    return list(catalog.by_name)


def _agent_ids(catalog: Catalog) -> list[str]:
    return list(catalog.agents)


# The category template comes first: the other one would take "category" for an agent.
KINDS: Final[tuple[ResourceKind, ...]] = (
    ResourceKind(
        template="capabilities://category/{category}",
        name="category",
        title="Capabilities of a category",
        description="What every agent offers in a category; the answer of list_capabilities.",
        read=lambda service, found: list_(service, checked(list_capabilities.TOOL, found)),
        values={"category": lambda catalog: catalog.categories},
    ),
    ResourceKind(
        template="capabilities://{agent}/{capability}",
        name="capability",
        title="A capability of an agent",
        description="What an agent offers for a capability in any wording; the answer of lookup_capability.",
        read=lambda service, found: lookup(service, checked(lookup_capability.TOOL, found)),
        values={"agent": _agent_ids, "capability": _capability_names},
    ),
)


def read_resource(service: Service, uri: str) -> Answer:
    """Return the answer at an address.

    Raises:
        CallerError: no template matches, or a variable has an unknown value.
    """
    for kind in KINDS:
        found = UriTemplate.parse(kind.template).match(uri)
        if found is not None:
            return kind.read(service, {name: str(value) for name, value in found.items()})
    raise CallerError(
        f"unknown resource {brief(uri)}; known templates: {' and '.join(kind.template for kind in KINDS)}; "
        "read an address of this form, with its variables percent-encoded"
    )


def complete(catalog: Catalog, template: str, variable: str, typed: str) -> list[str]:
    """Values that start with the typed text, then those that contain it; none for an unknown template or variable."""
    for kind in KINDS:
        if kind.template == template and variable in kind.values:
            known = kind.values[variable](catalog)
            wanted = typed.casefold()
            starting = [value for value in known if value.casefold().startswith(wanted)]
            return starting + [value for value in known if wanted in value.casefold() and value not in starting]
    return []


MANIFEST_URI: Final = "capabilities://manifest"

MAX_COMPLETIONS: Final = 100
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
        """Return the manifest, and the categories if the caller may read answers."""
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
        """Return the templates of addresses, if the caller may read answers."""
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
        """Return the answer at an address.

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
        shown = values[:MAX_COMPLETIONS]
        return types.CompleteResult(
            completion=types.Completion(values=shown, total=len(values), has_more=len(values) > len(shown))
        )


def _agents(session: CallerSession) -> "Service":
    """Return the session's service; only a server of the agents' catalog has resources."""
    return cast("Service", session.offer.service)
