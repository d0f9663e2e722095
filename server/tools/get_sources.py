"""`get_sources`: where do the catalog's facts come from?"""

from typing import Annotated

from pydantic import Field

from embeddings.ranking.match_result import Decision, MatchResult
from server.errors import CallerError
from server.matching.service import Service
from server.tools.answers import PhraseAnswer, ResolvedFields, SourceItem, resolved, unresolved
from server.tools.definition import Name, Request, ServiceTool
from server.tools.paging import page


class SourcesRequest(Request):
    """Arguments of `get_sources`; an agent or a capability is needed."""

    agent: Annotated[Name | None, Field(description="an agent's id or name")] = None
    capability: Annotated[str | None, Field(description="a capability's name, or any phrase for one need")] = None
    cursor: Annotated[Name | None, Field(description="nextCursor of the page before")] = None


class SourcesAnswer(PhraseAnswer):
    """Answer of `get_sources`; `decision` is present if a phrase was given, `total` if sources are listed."""

    agent: str | None = None
    decision: Decision | None = None
    capability: str | None = None
    total: int | None = None
    sources: list[SourceItem] | None = None
    next_cursor: str | None = None


def get_sources(service: Service, request: SourcesRequest) -> SourcesAnswer:
    """Collect the sources of an agent, a capability, or both."""
    if not request.agent and request.capability is None:
        raise CallerError(
            f"get_sources got neither agent nor capability; agents: {', '.join(service.catalog.agents)}; call again "
            "with one of them; a capability alone has the sources of all agents, and compare_capability their facts"
        )
    agent = service.agent(request.agent) if request.agent else None
    if request.capability is None:
        return _answer(service, request, agent, None)
    result = service.match(request.capability)
    if result.decision != "resolved":
        return SourcesAnswer(agent=agent, **unresolved(service.catalog, result, agent))
    return _answer(service, request, agent, result)


def _answer(service: Service, request: SourcesRequest, agent: str | None, result: MatchResult | None) -> SourcesAnswer:
    """Return a page of the sources of an agent, of the capability that a phrase resolved to, or of both."""
    name = result.matches[0].name if result else None
    found = collected(service, agent, name)
    part = page("get_sources", found, request.cursor, (agent, name))
    understood: ResolvedFields | dict[str, None] = resolved(result) if result else {}
    return SourcesAnswer(
        agent=agent,
        capability=name,
        total=len(found),
        sources=part.items,
        next_cursor=part.next_cursor,
        **understood,
    )


def collected(service: Service, agent: str | None, capability: str | None) -> list[SourceItem]:
    """Return every source of the chosen agents and capabilities, in the order of the catalog.

    Without a capability there can be hundreds, so descriptions are left out, and so is an agent that the caller named.
    """
    return [
        SourceItem(
            agent=id_ if capability or not agent else None,
            capability=name,
            url=source.url,
            description=source.description if capability else None,
            verified_date=source.verified_date,
            status=source.status,
        )
        for id_ in ([agent] if agent else service.catalog.agents)
        for name in ([capability] if capability else service.catalog.by_name)
        if (entry := service.catalog.entry(id_, name))
        for source in entry.sources
    ]


TOOL = ServiceTool(
    name="get_sources",
    title="Get sources",
    family="core",
    description=(
        "Vendor pages behind the facts on an AI coding agent, a capability in any wording, or both (at least one is "
        "needed): URL, date."
    ),
    docs=(
        "Give an agent, a capability, or both. Every fact of the catalog was read on the vendor's own page; "
        "`verifiedDate` is the date of the copy that was read. For a capability that an agent lacks, the sources are "
        "the pages that were searched. Without a capability the lines are short: page, date, capability. A long list "
        "has `nextCursor`: pass it as `cursor`, with the other arguments unchanged."
    ),
    request=SourcesRequest,
    answer=SourcesAnswer,
    handler=get_sources,
)
