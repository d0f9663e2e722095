"""`search_tools`: which tool of the upstreams serves a need."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Final

from pydantic import Field

from embeddings.ranking.decision import DEFAULT_COSTS, decide
from embeddings.ranking.match_result import Decision
from server.gateway.found_tools import FoundTool, found_tools
from server.gateway.own_name import OWN
from server.tools.answers import Answer
from server.tools.definition import Request, Tool
from server.tools.meta.definition import SessionTool
from server.tools.meta.session import FamilyMatch, Session
from server.tools.remote.definition import RemoteTool

MOST: Final = 5
"""Candidates of an ambiguous answer, unless the caller wants another number."""

MOST_WANTED: Final = 20
"""Maximum candidates that a caller can ask for."""

LEAST_SHOWN: Final = 0.01
"""Tools below this probability are not candidates."""

HINT_AMBIGUOUS: Final = "Choose one of these and call it with call_tool, or search again with a more exact need."
HINT_NO_SCHEMA: Final = "A schema that is missing is too long; {ways}."
HINT_NO_MATCH: Final = "No tool here serves that need; say so, or do without a tool."


_IN_CAPABILITIES: Final = "capabilities(family='{}', include_schema=true) has it"


class SearchToolsRequest(Request):
    """Arguments of `search_tools`."""

    need: Annotated[str, Field(description="one thing to be done, in plain words; or a tool's name")]
    top: Annotated[int | None, Field(ge=1, le=MOST_WANTED, description="maximum candidates (default: 5)")] = None


class SearchToolsAnswer(Answer):
    """Answer of `search_tools`: one tool if resolved, up to five if ambiguous, none if nothing fits."""

    decision: Decision
    degraded: bool | None = None
    tools: list[FoundTool]
    hint: str | None = None


class Search:
    """Searches the tools that one caller may use."""

    def __init__(self, session: Session) -> None:
        """Search for the caller of `session`."""
        self._session = session

    def answer(self, need: str, top: int | None) -> SearchToolsAnswer:
        """The answer to a need.

        Raises:
            CallerError: the need is blank or too long.
        """
        matches = self._session.families_for(need)
        ranked = self._ranked(matches)
        shares = [share for _, share in ranked]
        decision = decide(shares, max(0.0, 1 - sum(shares)), DEFAULT_COSTS) if ranked else "no_match"
        kept = {"resolved": ranked[:1], "ambiguous": ranked[: top or MOST], "no_match": []}[decision]
        # Of a server with hundreds of tools that was named, each has a small share.
        least = min([LEAST_SHOWN, *shares[:1]])
        tools = found_tools([pair for pair in kept if pair[1] >= least], self._session.outages)
        return SearchToolsAnswer(
            decision=decision,
            degraded=self._session.matches_degraded or None,
            tools=tools,
            hint=self._hint(decision, ranked, tools),
        )

    def _ranked(self, matches: Iterable[FamilyMatch]) -> list[tuple[Tool, float]]:
        """The tools with the probability of each, best first; those of a server that was named share its own."""
        found: list[tuple[Tool, float]] = []
        for match in matches:
            shares = match.tools or self._equally(match)
            tools = ((self._session.tool(name), share) for name, share in shares.items())
            found += [(tool, min(1.0, share)) for tool, share in tools if isinstance(tool, RemoteTool)]
        return sorted(found, key=lambda pair: -pair[1])

    def _equally(self, match: FamilyMatch) -> dict[str, float]:
        named = [tool.name for tool in self._session.tools if tool.family == match.family]
        return {name: match.confidence / len(named) for name in named}

    def _hint(self, decision: Decision, ranked: Sequence[tuple[Tool, float]], tools: Sequence[FoundTool]) -> str | None:
        cut = [tool for tool in tools if tool.input_schema is None]
        waiting = [
            f"{name} is {outage}" for name, outage in self._session.outages.items() if self._session.tool(name) is None
        ]
        missing = f" Not every server is ready: {'; '.join(waiting)}." if waiting else ""
        if decision == "resolved":
            return HINT_NO_SCHEMA.format(ways=_IN_CAPABILITIES.format(cut[0].server)) if cut else None
        if decision == "ambiguous":
            more = f" {HINT_NO_SCHEMA.format(ways='search for the full name of its tool')}" if cut else ""
            return HINT_AMBIGUOUS + more + missing
        near = ", ".join(tool.name for tool, _ in ranked[:3])
        return HINT_NO_MATCH + (f" Nearest, but unlikely: {near}." if near else "") + missing


def search_tools(session: Session, request: SearchToolsRequest) -> SearchToolsAnswer:
    """Search the tools that the caller may use."""
    return Search(session).answer(request.need, request.top)


def search_tool(summary: str) -> SessionTool:
    """The tool, whose description says what lies behind it."""
    return SessionTool(
        name="search_tools",
        title="Search tools",
        family=OWN,
        description=f"Find the tool for a need, with how to call it; or learn that none serves it. {summary}",
        docs=(
            "Give one need in plain words, or a tool's name. `resolved` has one tool: call it with call_tool, its name "
            "and arguments that fit `inputSchema`. `ambiguous` has candidates, likeliest first. `no_match` means that "
            "none of the servers' tools serves the need. `matchConfidence` is the probability that the tool is the "
            "right one; `status` says why a tool cannot be called now."
        ),
        request=SearchToolsRequest,
        answer=SearchToolsAnswer,
        handler=search_tools,
    )
