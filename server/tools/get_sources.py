"""`get_sources`: where do the catalog's facts come from?"""

from typing import Annotated

from pydantic import Field

from embeddings.ranking.match_result import Decision
from server.errors import CallerError
from server.matching.service import Service
from server.tools.answers import PhraseAnswer, SourceItem, resolved, unresolved
from server.tools.definition import Name, Request, ServiceTool


class SourcesRequest(Request):
    """Arguments of `get_sources`; at least one is needed."""

    agent: Annotated[Name | None, Field(description="claude-code, copilot-cli, gemini-cli or vscode-copilot")] = None
    capability: Annotated[str | None, Field(description="a capability's name, or any phrase for one need")] = None


class SourcesAnswer(PhraseAnswer):
    """Answer of `get_sources`; `decision` is present if a phrase was given."""

    agent: str | None = None
    decision: Decision | None = None
    capability: str | None = None
    sources: list[SourceItem] | None = None


def get_sources(service: Service, request: SourcesRequest) -> SourcesAnswer:
    """Collect the sources of an agent, a capability, or both."""
    if not request.agent and request.capability is None:
        raise CallerError(
            f"get_sources got no filter; give an agent ({', '.join(service.catalog.agents)}), a capability or both; "
            "call again with one of them"
        )
    agent = service.agent(request.agent) if request.agent else None
    if request.capability is None:
        return SourcesAnswer(agent=agent, sources=collected(service, agent, None))
    result = service.match(request.capability)
    if result.decision != "resolved":
        return SourcesAnswer(agent=agent, **unresolved(service.catalog, result, agent))
    name = result.matches[0].name
    return SourcesAnswer(
        agent=agent,
        capability=name,
        sources=collected(service, agent, name),
        **resolved(result),
    )


def collected(service: Service, agent: str | None, capability: str | None) -> list[SourceItem]:
    """Every source of the chosen agents and capabilities, in the order of the catalog.

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
        "Vendor pages behind the facts on an AI coding agent (claude-code, copilot-cli, gemini-cli, vscode-copilot), a "
        "capability in any wording, or both: URL, date verified."
    ),
    docs=(
        "Give an agent, a capability, or both. Every fact of the catalog was read on the vendor's own page; "
        "`verifiedDate` is the date of the copy that was read. For a capability that an agent lacks, the sources are "
        "the pages that were searched. Without a capability the lines are short: page, date, capability."
    ),
    request=SourcesRequest,
    answer=SourcesAnswer,
    handler=get_sources,
)
