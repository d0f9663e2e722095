"""The subcommand `lookup`."""

import argparse
from typing import Any

from server.catalog.folders import shipped_agents
from server.catalog.plans import no_plan_note, plan_words
from server.cli.options import Subcommands, add_command, add_data, add_json, chosen_service, show
from server.cli.phrases import AgentQuery, add_phrase, asked_of
from server.cli.understanding import PROGRAM, bearing, candidates, note, question, quoted, standing, verdict
from server.output import bold, paragraph
from server.tools.definition import checked
from server.tools.lookup_capability import TOOL, lookup


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "lookup", "show what one agent offers for a need", run)
    command.add_argument(
        "agent",
        metavar="AGENT",
        help=f"{', '.join(shipped_agents())}, or another name; may come last",
    )
    add_phrase(command)
    add_data(command)
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """Answer one phrase for one agent."""
    service = chosen_service(options)
    asked = asked_of(service, [options.agent, *options.phrase])
    answer = lookup(service, checked(TOOL, {"agent": asked.agent, "capability": asked.phrase}))
    return show(options, answer, lambda value: "\n".join([*_order(asked), render(value)]))


def render(answer: dict[str, Any]) -> str:
    """Return the answer as text."""
    if "capability" not in answer:
        return candidates(answer, lambda name: f"{PROGRAM} lookup {answer['agent']} {quoted(name)}")
    capability = answer["capability"]
    lines = [bold(f"{capability['name']} in {answer['agent']}"), *_ends(answer), *_as_of(answer), *note(answer)]
    lines += [*_answered(answer), *bearing(answer)]
    if answer.get("documented") is False:
        return "\n".join([*lines, "The catalog says nothing about this capability for this agent."])
    access = capability.get("access", [])
    facts: list[tuple[str, str | None]] = [
        ("available", standing(capability)),
        ("needs", plan_words(capability.get("tier"), access)),
    ]
    facts += [("that is", no_plan_note([access]) or None)]
    facts += [(label, capability.get(key)) for label, key in _FACTS]
    facts += [("limit", text) for text in capability.get("limitations", [])]
    facts += [("requires", text) for text in capability.get("requirements", [])]
    notes = capability.get("implementationNotes", {})
    facts += [(label, notes.get(key)) for label, key in _NOTES]
    facts += [("watch out", text) for text in notes.get("gotchas", [])]
    facts += [("source", _source(source)) for source in capability.get("sources", [])]
    return "\n".join([*lines, *(paragraph(label, text) for label, text in facts if text)])


_FACTS = (("maturity", "maturityLevel"), ("called", "terminology"), ("what", "description"))
_NOTES = (("setup", "setup"), ("config file", "configFile"), ("start at", "startUrl"))


def _order(asked: AgentQuery) -> list[str]:
    """Return a line that says so if the agent was not where it belongs."""
    return [f"(read {asked.agent!r} as the agent and {asked.phrase!r} as the phrase)"] if asked.swapped else []


def _ends(answer: dict[str, Any]) -> list[str]:
    """Return what holds only until a day."""
    return [paragraph(f"until {ending['until']}", ending["statement"]) for ending in answer.get("until", [])]


def _answered(answer: dict[str, Any]) -> list[str]:
    """Return the answer to the question that was meant."""
    if not (found := answer.get("answer")):
        return []
    lines = [*question(found), paragraph("answer", verdict(found))]
    return [*lines, paragraph("because", found["because"])] if "because" in found else lines


def _as_of(answer: dict[str, Any]) -> list[str]:
    """Return a line with how the entry was checked, or what the agent's facts stand at, if the data say so."""
    if check := answer["capability"].get("checked"):
        done = "run with" if check["by"] == "ran" else "read for"
        return [f"{done} {check['version']} ({check['date']})"]
    as_of = answer.get("asOf")
    return [f"as of {as_of['version']} ({as_of['date']})"] if as_of else []


def _source(source: dict[str, Any]) -> str:
    date = source.get("verifiedDate")
    return f"{source['url']} (verified {date})" if date else str(source["url"])
