"""What would set agents apart that cover equally many needs."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Final

from server.catalog.catalog import Catalog
from server.tools.answers import Answer, echo
from server.tools.needs import Need
from server.tools.ranked_agents import NeedStanding, RankedAgent

MOST_NAMED: Final = 2
"""Maximum capabilities or phrases that are named for one way to break a tie."""

LONGEST_PHRASE: Final = 60
"""Maximum characters of a phrase that is named."""


class Tie(Answer):
    """Agents of one rank, and what would set them apart."""

    rank: int
    agents: list[str]
    broken_by: str


def ties(catalog: Catalog, agents: Sequence[RankedAgent], needs: Sequence[Need]) -> list[Tie]:
    """The ranks that several agents share."""
    groups = [(rank, list(tied)) for rank, tied in groupby(agents, key=lambda agent: agent.rank)]
    return [
        Tie(rank=rank, agents=[agent.agent for agent in tied], broken_by=_broken_by(catalog, tied, needs))
        for rank, tied in groups
        if len(tied) > 1
    ]


def _broken_by(catalog: Catalog, tied: Sequence[RankedAgent], needs: Sequence[Need]) -> str:
    unclear = [repr(echo(need.result.query, LONGEST_PHRASE)) for need in needs if need.capability is None]
    ways = [
        ("which need counts more", _that_differ(tied, lambda need: need.covered)),
        ("the plan", _that_differ(tied, lambda need: need.tier if need.covered else None)),
        ("the maturity", _that_differ(tied, lambda need: need.maturity_level if need.covered else None)),
        ("saying more precisely", _first(unclear)),
    ]
    told = [f"{way}: {what}" for way, what in ways if what]
    return "; ".join(told or [_further_need(catalog, [agent.agent for agent in tied])])


def _that_differ(tied: Sequence[RankedAgent], value: Callable[[NeedStanding], object]) -> str:
    """The needs on which the agents differ, each with what they have; a value that is not known differs from none."""
    differing = []
    for standings in zip(*(agent.needs for agent in tied), strict=True):
        found = {agent.agent: value(need) for agent, need in zip(tied, standings, strict=True)}
        known = {agent: each for agent, each in found.items() if each is not None}
        if len(set(known.values())) > 1:
            differing.append(f"{standings[0].capability} ({_told(known)})")
    return _first(differing)


def _told(values: dict[str, object]) -> str:
    if set(values.values()) == {True, False}:
        return ", ".join(agent for agent, covered in values.items() if covered)
    distinct = sorted({str(value) for value in values.values()}, key=[*map(str, values.values())].index)
    return "; ".join(f"{', '.join(agent for agent in values if values[agent] == each)} {each}" for each in distinct)


def _further_need(catalog: Catalog, agents: Sequence[str]) -> str:
    """A capability that only some of the agents have; the needs given do not set them apart."""
    for name in catalog.by_name:
        having = [agent for agent in agents if (entry := catalog.entry(agent, name)) and entry.available]
        if 0 < len(having) < len(agents):
            return f"a further need, such as {name} ({', '.join(having)})"
    return "nothing that the catalog knows"


def _first(names: Iterable[str]) -> str:
    return ", ".join(list(names)[:MOST_NAMED])
