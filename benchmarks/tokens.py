"""Counts the cl100k tokens that the tools use of a model's context: `python -m benchmarks.tokens [--json]`.

The first table counts the tool definitions of each way to start the server, as a client receives them: name,
description and input schema as compact JSON, trimmed and with `--wire full`. The second runs the design's scenarios on
the shipped catalog. It counts definitions, calls and the text of the answers, and compares the sum with the data files
that answer the same question.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import anyio
from mcp import Client
from mcp_types import TextContent
from rs_bpe import openai

from server.catalog.folders import shipped_agents
from server.matching.service import Service, open_service
from server.paths import shipped_data
from server.protocol.server import build_server
from server.tools.families import CHOOSABLE, CORE, FULL
from server.toolset.start import Start, parse_profile

CL100K: Final = openai.cl100k_base()
AGENTS: Final = tuple(shipped_agents())
STARTS: Final = {
    "default": Start(),
    **{f"--profile {name}": Start(parse_profile(name)) for name in (*CHOOSABLE, FULL) if name != CORE},
    "--dynamic-tools": Start(dynamic=True),
    f"--dynamic-tools --profile {FULL}": Start(parse_profile(FULL), dynamic=True),
}

Call = tuple[str, dict[str, Any]]
Row = dict[str, Any]
"""One row of a table: column to value."""

SET_UP: Final[Call] = ("lookup_capability", {"agent": "claude-code", "capability": "connect a Postgres MCP server"})
DEBUGGING: Final[Sequence[Call]] = (
    ("compare_capability", {"capability": "debugging"}),
    *(("lookup_capability", {"agent": agent, "capability": "Debugging"}) for agent in AGENTS),
)
CITE: Final[Call] = ("get_sources", {"agent": "gemini-cli"})
FREE_TIER: Final[Sequence[Call]] = tuple(("list_capabilities", {"agent": agent}) for agent in AGENTS)
PARITY: Final[Call] = ("feature_parity", {})


@dataclass(frozen=True)
class Scenario:
    """A question, the calls with which an attentive model answers it, and the agents whose files answer it, too."""

    name: str
    calls: Sequence[Call]
    agents: Sequence[str] = AGENTS
    start: str = "default"


def scenarios(capabilities: Sequence[str]) -> list[Scenario]:
    """List the design's five scenarios for a catalog's capabilities; the last also with its dedicated tool."""
    parity = "Cross-agent feature parity check"
    return [
        Scenario("Set up MCP in Claude Code", [SET_UP], ["claude-code"]),
        Scenario("Build cross-agent debugging workflow", DEBUGGING),
        Scenario("Cite all sources for Gemini CLI", [CITE], ["gemini-cli"]),
        Scenario("Find all free-tier capabilities", FREE_TIER),
        Scenario(parity, [("compare_capability", {"capability": name}) for name in capabilities]),
        Scenario(parity, [PARITY], start=f"--profile {FULL}"),
    ]


def tokens(value: object) -> int:
    """Count the tokens of a text; any other value is first written as compact JSON."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return int(CL100K.count(text))


async def definitions(client: Client) -> list[dict[str, Any]]:
    """List the connected server's tools, reduced to the fields that models see."""
    listed = (await client.list_tools()).tools
    return [{"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema} for tool in listed]


async def answer(client: Client, call: Call) -> str:
    """Call a tool and return the text of its answer.

    Raises:
        ValueError: the answer is an error, or the phrase was not resolved.
    """
    result = await client.call_tool(*call)
    (content,) = result.content
    assert isinstance(content, TextContent)
    if result.is_error or json.loads(content.text).get("decision", "resolved") != "resolved":
        raise ValueError(f"{call} is not answered: {content.text}")
    return content.text


async def exchange(client: Client, call: Call) -> tuple[list[Call], list[str]]:
    """Call a tool, and again for each further page. Return the calls and the texts of the answers."""
    calls, texts = [call], [await answer(client, call)]
    while cursor := json.loads(texts[-1]).get("nextCursor"):
        calls.append((call[0], call[1] | {"cursor": cursor}))
        texts.append(await answer(client, calls[-1]))
    return calls, texts


async def measure_start(service: Service, name: str) -> Row:
    """Count the tokens of the definitions for one way to start the server."""
    row: Row = {"start": name}
    for wire in ("trimmed", "full"):
        async with Client(build_server(service, start=replace(STARTS[name], full_wire=wire == "full"))) as client:
            tools = await definitions(client)
        row |= {"tools": len(tools), wire: tokens(tools)}
    return row


async def measure_scenario(service: Service, scenario: Scenario) -> Row:
    """Count the tokens of one scenario and compare them with those of the data files."""
    async with Client(build_server(service, start=STARTS[scenario.start])) as client:
        exchanges = [await exchange(client, call) for call in scenario.calls]
        calls = [call for made, _ in exchanges for call in made]
        parts = {
            "definitions": tokens(await definitions(client)),
            "requests": sum(tokens({"name": name, "arguments": given}) for name, given in calls),
            "answers": sum(tokens(text) for _, texts in exchanges for text in texts),
        }
    files = [shipped_data() / "agents" / agent / "capabilities" / "current.json" for agent in scenario.agents]
    total, baseline = sum(parts.values()), sum(tokens(file.read_text(encoding="utf-8")) for file in files)
    row = {"scenario": scenario.name, "start": scenario.start, "calls": len(calls)}
    return row | parts | {"total": total, "files": len(files), "baseline": baseline, "ratio": total / baseline}


async def measure() -> dict[str, list[Row]]:
    """Measure the rows of both tables."""
    service = open_service(shipped_data())
    service.matchers.load()
    return {
        "starts": [await measure_start(service, name) for name in STARTS],
        "scenarios": [await measure_scenario(service, each) for each in scenarios(list(service.catalog.by_name))],
    }


def table(rows: Sequence[Row]) -> str:
    """Format rows as a Markdown table, with ratios in percent."""
    rule = "".join("---|" if isinstance(value, str) else "---:|" for value in rows[0].values())
    cells = [[f"{value:.1%}" if isinstance(value, float) else str(value) for value in row.values()] for row in rows]
    return "\n".join([f"| {' | '.join(rows[0])} |", f"|{rule}", *(f"| {' | '.join(row)} |" for row in cells)])


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--json", action="store_true", help="print the figures as JSON")
    chosen = options.parse_args()
    found = anyio.run(measure)
    print(json.dumps(found, indent=1) if chosen.json else "\n\n".join(map(table, found.values())))


if __name__ == "__main__":
    main()
