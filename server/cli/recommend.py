"""The subcommand `recommend`."""

import argparse
from typing import Any

from server.cli.filter_options import add_access, add_tier, joined
from server.cli.options import Subcommands, add_command, add_data, add_json, chosen_service, show
from server.cli.phrases import whole
from server.cli.understanding import needed, verdict
from server.output import paragraph, percent, table, wrapped
from server.tools.definition import checked
from server.tools.recommend_agent import TOOL, recommend

NEXT_STEPS = {
    "ambiguous": "A need that could mean several capabilities counts for no agent; ask again with the name that is "
    "meant.",
    "no_match": "The catalog does not cover a need that fits no capability.",
}


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "recommend", "rank the agents by how many of several needs they cover", run)
    command.add_argument(
        "needs", metavar="NEED", nargs="+", help="each argument is one need in your own words; quote it"
    )
    add_tier(command, "count only what is available on this plan or a lower one")
    add_access(command, "count what this opens, too, for which no plan is needed; may be repeated")
    add_data(command)
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """Rank the agents."""
    service = chosen_service(options)
    answer = recommend(
        service, checked(TOOL, {"needs": options.needs, "tier": options.tier, "access": joined(options.access)})
    )
    return show(options, answer, lambda value: render(whole(service.catalog, value)))


def render(answer: dict[str, Any]) -> str:
    """Return the answer as text."""
    needs = [[need["need"], _meaning(need), _confidence(need)] for need in answer["understood"]]
    parts = ["(degraded: matched without the embedding model)"] if answer.get("degraded") else []
    parts += [table(["need", "understood as", "confidence"], needs)]
    if agents := answer["agents"]:
        parts += [
            "",
            _ranks(agents),
            "",
            _verdicts(answer["understood"], agents),
            *_sentences(answer["understood"], agents),
        ]
    broken = [
        paragraph("tie", f"{', '.join(tie['agents'])}; broken by {tie['brokenBy']}") for tie in answer.get("ties", [])
    ]
    said = dict.fromkeys(need["decision"] for need in answer["understood"] if need["decision"] in NEXT_STEPS)
    parts += ["", *broken, *(wrapped(NEXT_STEPS[decision]) for decision in said)]
    return "\n".join(parts).rstrip()


def _meaning(need: dict[str, Any]) -> str:
    if "capability" in need:
        asked = ": ".join(need[key] for key in ("capability", "question") if key in need)
        return f"{asked}{' (the opposite)' if need.get('opposite') else ''}"
    if need["decision"] == "no_match":
        return "no capability"
    return f"unclear: {' or '.join(need['candidates'])}"


def _confidence(need: dict[str, Any]) -> str:
    return percent(need["matchConfidence"]) if "capability" in need else ""


def _ranks(agents: list[dict[str, Any]]) -> str:
    rows = [
        [
            str(agent["rank"]),
            agent["agent"],
            f"{agent['covered']:g} of {agent['of']}",
            "no plan with your own key or model" if agent.get("noPlanNeeded") else agent.get("tier", ""),
        ]
        for agent in agents
    ]
    return table(["rank", "agent", "covers", "plan needed"], rows)


def _verdicts(needs: list[dict[str, Any]], agents: list[dict[str, Any]]) -> str:
    """Return a row for each need, a column for each agent."""
    by_need = zip(needs, zip(*(agent["needs"] for agent in agents), strict=True), strict=True)
    rows = [[need["need"], *map(_cell, standings)] for need, standings in by_need]
    return table(["need", *(agent["agent"] for agent in agents)], rows)


def _cell(need: dict[str, Any]) -> str:
    """Return how an agent stands on a need; one that it has on a higher plan only is not covered."""
    return f"needs {needed(need) or 'another plan'}" if need.get("beyond") else verdict(need)


def _sentences(needs: list[dict[str, Any]], agents: list[dict[str, Any]]) -> list[str]:
    """Return the sentences that take something back."""
    found = [
        wrapped(f"{agent['agent']}, {need['need']}: {standing['because']}")
        for agent in agents
        for need, standing in zip(needs, agent["needs"], strict=True)
        if "because" in standing and standing.get("verdict") in ("no", "partly")
    ]
    return ["", *found] if found else []
