"""Resources: the answers of `lookup_capability` and `list_capabilities` under addresses of their own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from mcp.shared.uri_template import UriTemplate

from server.answers import Answer
from server.catalog.catalog import Catalog
from server.errors import CallerError, brief
from server.service import Service
from server.tools.list_capabilities import ListRequest, list_
from server.tools.lookup_capability import LookupRequest, lookup

MIME_TYPE: Final = "application/json"


@dataclass(frozen=True)
class ResourceKind:
    """A family of addresses.

    Attributes:
        template: RFC 6570 template.
        name: for programs.
        title: for people.
        description: what is there.
        read: from a service and the template's variables to the answer.
        values: for each variable, the values there are.
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


# The category template comes first: "category" would fit as an agent in the other.
KINDS: Final[tuple[ResourceKind, ...]] = (
    ResourceKind(
        template="capabilities://category/{category}",
        name="category",
        title="Capabilities of a category",
        description="What every agent offers in a category; the answer of list_capabilities.",
        read=lambda service, found: list_(service, ListRequest(category=found["category"])),
        values={"category": lambda catalog: catalog.categories},
    ),
    ResourceKind(
        template="capabilities://{agent}/{capability}",
        name="capability",
        title="A capability of an agent",
        description="What an agent offers for a capability in any wording; the answer of lookup_capability.",
        read=lambda service, found: lookup(service, LookupRequest(**found)),
        values={"agent": _agent_ids, "capability": _capability_names},
    ),
)


def read_resource(service: Service, uri: str) -> Answer:
    """The answer behind an address.

    Raises:
        CallerError: no template fits, or its variables cannot be placed.
    """
    for kind in KINDS:
        found = UriTemplate.parse(kind.template).match(uri)
        if found is not None:
            return kind.read(service, {name: str(value) for name, value in found.items()})
    raise CallerError(
        f"unknown resource {brief(uri)}; addresses are {' and '.join(kind.template for kind in KINDS)}; "
        "read one of these, its variables percent-encoded"
    )


def complete(catalog: Catalog, template: str, variable: str, typed: str) -> list[str]:
    """Values of a template's variable that begin with, then that contain, what was typed; none for unknown ones."""
    for kind in KINDS:
        if kind.template == template and variable in kind.values:
            known = kind.values[variable](catalog)
            wanted = typed.casefold()
            starting = [value for value in known if value.casefold().startswith(wanted)]
            return starting + [value for value in known if wanted in value.casefold() and value not in starting]
    return []
