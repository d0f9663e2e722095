"""What the page can ask for, and which family of tools tells the same over MCP."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from server.matching.service import Service
from server.tools.families import CORE
from server.web.refusals import RefusedError
from server.web.work import QUICK

MATCH: Final = "match"
"""The family of the tools that match phrases."""


@dataclass(frozen=True)
class Endpoint:
    """One kind of answer.

    Attributes:
        name: its path below `api/`.
        family: family of tools that a caller must be permitted to use; None permits it to every caller.
        of_agents: whether a catalog of labels has none of it.
        method: of its requests.
        lane: of its work.
    """

    name: str
    family: str | None = MATCH
    of_agents: bool = False
    method: str = "GET"
    lane: str = QUICK

    def check(self, service: Any, families: Sequence[str]) -> None:
        """Check that there is such an answer for a caller.

        Raises:
            RefusedError: the caller may not use the family, or the catalog has no agents.
        """
        if self.family is not None and self.family not in families:
            raise RefusedError(
                403,
                f"api/{self.name} tells what the tools of the family {self.family!r} tell, which this caller may not "
                f"use; permitted: {', '.join(families) or 'none'}; use what is permitted, or ask the server's operator "
                "to change the allowlist",
            )
        if self.of_agents and not isinstance(service, Service):
            raise RefusedError(
                404,
                f"api/{self.name} is about agents; this server serves a catalog of labels, which has none; ask for "
                "api/about to see what there is",
            )


ENDPOINTS: Final = (
    Endpoint("about", family=None),
    Endpoint("match"),
    Endpoint("map", lane="map"),
    Endpoint("label"),
    Endpoint("agents", family=CORE, of_agents=True),
    Endpoint("entry", family=CORE, of_agents=True),
    Endpoint("preflight"),
    Endpoint("coverage", method="POST", lane="coverage"),
)

VIEWS: Final = {"try": "match", "map": "map", "agents": "agents", "health": "preflight"}
"""The page's views in order, each with the endpoint that it cannot do without."""


def views(service: Any, families: Sequence[str]) -> list[str]:
    """The views that a caller gets of a catalog."""
    by_name = {endpoint.name: endpoint for endpoint in ENDPOINTS}
    return [view for view, needed in VIEWS.items() if _is_there(by_name[needed], service, families)]


def _is_there(endpoint: Endpoint, service: Any, families: Sequence[str]) -> bool:
    try:
        endpoint.check(service, families)
    except RefusedError:
        return False
    return True
