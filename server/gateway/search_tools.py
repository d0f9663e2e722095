"""`search_tools`: which tool of the upstreams serves a need.

A need that names a tool finds it here; otherwise `server.toolset.tool_matcher` ranks the tools and decides.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final

from pydantic import Field

from embeddings.ranking.match_result import Decision, Match, MatchResult
from server.errors import CallerError, brief, nearest
from server.gateway.tool_catalog.names import OWN
from server.gateway.tool_catalog.tool_index import ToolIndex
from server.matching.label_service import LONGEST_PHRASE
from server.matching.side_effects import is_unsafe
from server.schema import trimmed
from server.tools.answers import Answer, Confidence
from server.tools.definition import Request, Tool
from server.tools.meta.session import Session, SessionTool
from server.tools.remote_tool import Outage
from server.toolset.source import Permitted
from server.toolset.tool_matcher import MeaningFinder, ToolsMatcher, sure


def checked_need(need: str, kind: str, longest: int = LONGEST_PHRASE) -> str:
    """Return a need without spaces around it.

    Args:
        need: as the caller gave it.
        kind: what it may name, such as "a tool".
        longest: maximum characters.

    Raises:
        CallerError: it is blank or too long.
    """
    if not need.strip():
        raise CallerError(
            f"the need is blank ({brief(need)}); it must say what is to be done, or name {kind}; state one need in a "
            "sentence, such as 'list the open issues'"
        )
    if len(need) > longest:
        raise CallerError(
            f"the need has {len(need):,} characters; this server takes {longest:,} at most; state one need in a "
            "sentence"
        )
    return need.strip()


class GatewayFinder(MeaningFinder):
    """Finds the tools of one offer."""

    def __init__(self, index: ToolIndex, families: Mapping[str, str], longest: int = LONGEST_PHRASE) -> None:
        """Find with an index.

        Args:
            index: of the tools.
            families: the family of each tool, by full name.
            longest: maximum characters of a need; a longer one is refused.
        """
        self._index = index
        self._family_of = families
        self._longest = longest

    @property
    def matcher(self) -> ToolsMatcher:
        """The index's matcher, of which there is one as soon as there are tools."""
        matcher = self._index.matcher
        if matcher is None:
            raise CallerError("no tool is known yet; servers are still connecting; call again in a few seconds")
        return matcher

    @property
    def degraded(self) -> bool:
        """Whether tools are found by names and words alone for now."""
        return self._index.degraded

    @property
    def family_of(self) -> Mapping[str, str]:
        """The family of each tool."""
        return self._family_of

    def find(self, intent: str, permitted: Permitted) -> MatchResult:
        """Find the permitted tools that serve an intent, by name or else by meaning.

        Raises:
            CallerError: the intent is blank or too long.
        """
        wanted = checked_need(intent, "a tool", self._longest)
        if not self._family_of:
            return MatchResult(wanted, "no_match", self.degraded, (), 1.0)
        named = self._named(wanted, permitted)
        return super().find(wanted, permitted) if named is None else sure(wanted, named, degraded=self.degraded)

    def _named(self, wanted: str, permitted: Permitted) -> dict[str, float] | None:
        """Tools that were named, else those of the server that was named, with equal shares; None if nothing was."""
        exact = [tool.name for tool in self._index.exact(wanted) if tool.name in self._family_of]
        by_family: dict[str, list[str]] = {}
        for name in filter(permitted.permits_called, exact):
            by_family.setdefault(self._family_of[name], []).append(name)
        if by_family:
            count = sum(map(len, by_family.values()))
            largest_first = sorted(by_family.values(), key=len, reverse=True)
            return {name: 1 / count for names in largest_first for name in names}
        known = dict.fromkeys(self._family_of.values())
        servers = [name for name in known if name.casefold() == wanted.casefold() and name in permitted.families]
        if exact or not servers:
            return None
        tools = {server: [tool.name for tool in permitted.tools if tool.family == server] for server in servers}
        shares = {name: 1 / len(servers) / len(names) for names in tools.values() for name in names}
        return dict(sorted(shares.items(), key=lambda pair: -pair[1]))

    def nearest(self, name: str, known: Sequence[str], count: int = 3) -> list[str]:
        """Return the known names nearest to an unknown one, by spelling and, as soon as tools are known, by meaning."""
        if self._index.matcher is None:
            return nearest(name, known, count)
        return super().nearest(name, known, count)


ROOM: Final = 8_000
"""Characters of descriptions and schemas that the candidates of an answer may have together, some 2,000 tokens. Half of
it at most is for descriptions, the same for each; beyond it a schema is shown without descriptions, then not at all."""

ROOM_FOR_ONE: Final = 24_000
"""The same for the one tool of a resolved answer."""

CUT: Final = "..."
"""Ends a description that was cut."""


SEARCH_TOOLS: Final = "search_tools"


class MissingServer(Answer):
    """A server whose tools are not known, so that none of them can be found."""

    server: str
    reason: str


class FoundTool(Answer):
    """A tool that may serve the need; `status` is there if its server cannot be called now."""

    name: str
    server: str
    description: str
    input_schema: dict[str, Any] | None = None
    match_confidence: Confidence
    status: str | None = None


def found_tools(matches: Sequence[Match], session: Session) -> list[FoundTool]:
    """Tools with their probabilities, as much of each as there is room for.

    Args:
        matches: of tools that the session may use, best first.
        session: the caller's.
    """
    room = ROOM_FOR_ONE if len(matches) == 1 else ROOM
    found = [(tool, match.match_confidence) for match in matches if (tool := session.tool(match.id))]
    texts = [_cut(tool.description, room // (2 * len(found))) for tool, _ in found]
    room -= sum(map(len, texts))
    shown = []
    for (tool, share), text in zip(found, texts, strict=True):
        schema = _schema(tool, room)
        room -= len(_json(schema)) if schema is not None else 0
        outage = session.outages.get(tool.name) or session.outages.get(tool.family)
        shown.append(
            FoundTool(
                name=tool.name,
                server=tool.family,
                description=text,
                input_schema=schema,
                match_confidence=round(share, 3),
                status=_status(outage) if outage else None,
            )
        )
    return shown


def _status(outage: Outage) -> str:
    return f"{outage}; listed as at its last start" if outage.kind == "connecting" else str(outage)


def _schema(tool: Tool, room: int) -> dict[str, Any] | None:
    """Return the schema of the arguments, as much of it as there is room for."""
    for schema in (tool.input_schema, trimmed(tool.input_schema)):
        if len(_json(schema)) <= room:
            return schema
    return None


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - len(CUT)] + CUT


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


MAX_AMBIGUOUS: Final = 5
"""Candidates of an ambiguous answer, unless the caller wants another number."""

MAX_WANTED: Final = 20
"""Maximum candidates that a caller can ask for."""

MAX_NAMED: Final = 3
"""Servers that a hint names; of more it says the number."""

MIN_CONFIDENCE_SHOWN: Final = 0.01
"""Tools below this probability are not candidates."""

HINT_AMBIGUOUS: Final = "Choose one of these and call it with call_tool, or search again with a more exact need."
HINT_NO_SCHEMA: Final = "A schema that is missing is too long; {ways}."
HINT_NO_MATCH: Final = "No tool here serves that need; say so, or do without a tool."
HINT_STARTING: Final = (
    "{servers} still starting and may have the tool: search again in a few seconds, or go on without."
)
HINT_SO_FAR: Final = " If one of the tools that are known so far serves the need, call it with call_tool."


_IN_CAPABILITIES: Final = "capabilities(family='{}', include_schema=true) has it"


class SearchToolsRequest(Request):
    """Arguments of `search_tools`."""

    need: Annotated[str, Field(description="one thing to be done, in plain words; or a tool's name")]
    top: Annotated[int | None, Field(ge=1, le=MAX_WANTED, description="maximum candidates (default: 5)")] = None


class SearchToolsAnswer(Answer):
    """Answer of `search_tools`: one tool if resolved, up to five if ambiguous, none if nothing fits.

    While a server that may hold the answer is starting, only a tool that the need names is resolved.
    """

    decision: Decision
    degraded: bool | None = None
    tools: list[FoundTool]
    missing: list[MissingServer] | None = None
    hint: str | None = None


class Search:
    """Searches the tools that one caller may use."""

    def __init__(self, session: Session) -> None:
        """Search for the caller of `session`."""
        self._session = session

    def answer(self, need: str, top: int | None) -> SearchToolsAnswer:
        """Return the answer to a need.

        Raises:
            CallerError: the need is blank or too long.
        """
        found = self._safe(self._session.tools_for(need))
        kept = found.offered(top or MAX_AMBIGUOUS)
        # Of a server with hundreds of tools that was named, each has a small share.
        least = min([MIN_CONFIDENCE_SHOWN, *(match.match_confidence for match in kept[:1])])
        tools = found_tools([match for match in kept if match.match_confidence >= least], self._session)
        unknown = {name: outage for name, outage in self._session.outages.items() if outage.tools != "known"}
        missing = [MissingServer(server=name, reason=str(outage)) for name, outage in unknown.items()]
        starting = [name for name, outage in unknown.items() if outage.tools == "awaited"]
        if starting and not _is_named(found):
            hint = HINT_STARTING.format(servers=are(starting)) + (HINT_SO_FAR if tools else "")
            decision: Decision = "ambiguous"
        else:
            decision, hint = found.decision, self._hint(found, tools) or ""
        return SearchToolsAnswer(
            decision=decision, degraded=found.degraded or None, tools=tools, missing=missing or None, hint=hint or None
        )

    def _safe(self, found: MatchResult) -> MatchResult:
        """Return what was found; only a candidate if it would change something and the need only asks."""
        if found.decision != "resolved" or _is_named(found):
            return found
        tool = self._session.tool(found.matches[0].id)
        unsafe = tool is not None and is_unsafe(found.query, tool.own_name, tool.annotations)
        return replace(found, decision="ambiguous") if unsafe else found

    def _hint(self, found: MatchResult, tools: Sequence[FoundTool]) -> str | None:
        cut = [tool for tool in tools if tool.input_schema is None]
        waiting = [
            f"{name} is {outage}" for name, outage in self._session.outages.items() if self._session.tool(name) is None
        ]
        missing = f" Not every server is ready: {'; '.join(waiting)}." if waiting else ""
        if found.decision == "resolved":
            return HINT_NO_SCHEMA.format(ways=_IN_CAPABILITIES.format(cut[0].server)) if cut else None
        if found.decision == "ambiguous":
            more = f" {HINT_NO_SCHEMA.format(ways='search for the full name of its tool')}" if cut else ""
            return HINT_AMBIGUOUS + more + missing
        near = ", ".join(match.id for match in found.matches[:3])
        return HINT_NO_MATCH + (f" Nearest, but unlikely: {near}." if near else "") + missing


def _is_named(found: MatchResult) -> bool:
    """Return whether the need is the name of what was found."""
    return bool(found.matches) and found.matches[0].matched_by == "exact"


def are(servers: Sequence[str]) -> str:
    """Return `git is`, `git and files are`, or `4 servers are`."""
    if len(servers) > MAX_NAMED:
        return f"{len(servers)} servers are"
    return f"{' and '.join(servers)} {'is' if len(servers) == 1 else 'are'}"


def search_tools(session: Session, request: SearchToolsRequest) -> SearchToolsAnswer:
    """Search the tools that the caller may use."""
    return Search(session).answer(request.need, request.top)


def search_tool(summary: str) -> SessionTool:
    """Return the tool, whose description says what lies behind it."""
    return SessionTool(
        name=SEARCH_TOOLS,
        title="Search tools",
        family=OWN,
        description=f"Find the tool for a need, with how to call it; or learn that none serves it. {summary}",
        docs=(
            "Give one need in plain words, or a tool's name. `resolved` has one tool: call it with call_tool, its name "
            "and arguments that fit `inputSchema`. `ambiguous` has candidates, likeliest first. `no_match` means that "
            "none of the servers' tools serves the need. `matchConfidence` is the probability that the tool is the "
            "right one; `status` says why a tool cannot be called now; `missing` has the servers whose tools are not "
            "known. While one of them is starting the answer is `ambiguous`, unless the need names a tool."
        ),
        request=SearchToolsRequest,
        answer=SearchToolsAnswer,
        handler=search_tools,
    )
