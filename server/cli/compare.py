"""The subcommand `compare`."""

import argparse
from typing import Any

from server.cli.filter_options import add_agents
from server.cli.options import Subcommands, add_command, add_data, add_json, chosen_service, show
from server.cli.phrases import add_phrase, whole
from server.cli.understanding import PROGRAM, candidates, needed, note, question, quoted, verdict
from server.output import bold, paragraph, table, wrapped
from server.tools.compare_capability import TOOL, compare
from server.tools.definition import checked


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "compare", "compare what agents offer for a need", run)
    add_phrase(command)
    add_agents(command, "compare only this agent; may be repeated")
    add_data(command)
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """Answer one phrase for several agents."""
    service = chosen_service(options)
    answer = compare(service, checked(TOOL, {"capability": " ".join(options.phrase), "agents": options.agents}))
    agents = "".join(f" --agent {quoted(agent)}" for agent in options.agents or ())
    return show(options, answer, lambda value: render(whole(service.catalog, value), agents))


def render(answer: dict[str, Any], agents: str = "") -> str:
    """Return the answer as text; `agents` are the options with which to ask again."""
    if "comparison" not in answer:
        return candidates(answer, lambda name: f"{PROGRAM} compare {quoted(name)}{agents}")
    lines = answer["comparison"]
    rows = [[line["agent"], verdict(line), needed(line), line.get("terminology", "")] for line in lines]
    head = [bold(answer["capability"]), *note(answer), *(question(answer["asked"]) if "asked" in answer else [])]
    head += [paragraph(f"need {number}", need) for number, need in enumerate(answer.get("needs", []), start=1)]
    return "\n".join([*head, table(["agent", "answer", "needs", "called"], rows), *_sentences(lines)])


def _sentences(lines: list[dict[str, Any]]) -> list[str]:
    """Return the sentence for each agent that needs one: for each need if there are several."""
    found = []
    for line in lines:
        parts = line.get("parts") or [line]
        said = [
            f"{verdict(part)}: {part['because']}" if len(parts) > 1 else part["because"]
            for part in parts
            if "because" in part
        ]
        said += [each["statement"] for each in line.get("relevant", [])]
        found += [wrapped(f"{line['agent']}: {text}") for text in said]
    return ["", *found] if found else []
