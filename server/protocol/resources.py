"""Resources: answers of `lookup_capability` and `list_capabilities` that have an address."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from mcp.shared.uri_template import UriTemplate

from server.catalog.catalog import Catalog
from server.errors import CallerError, brief
from server.matching.service import Service
from server.tools import list_capabilities, lookup_capability
from server.tools.answers import Answer
from server.tools.definition import checked
from server.tools.list_capabilities import list_
from server.tools.lookup_capability import lookup

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
    """The answer at an address.

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
