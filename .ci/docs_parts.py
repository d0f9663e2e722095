"""The generated parts of the documentation, by name: what ships and its tools, from code; results, as stored."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import docs_tables


def contents() -> str:
    """Return the figures of what ships: the catalog, and the size of the model."""
    from embeddings.encoder.model_files import official_model_folder
    from server.catalog.loading import load_catalog
    from server.paths import shipped_data

    catalog = load_catalog(shipped_data())
    entries = [entry for agent in catalog.agents.values() for entry in agent.entries.values()]
    dates = sorted(each.verified_date for entry in entries for each in entry.sources if each.verified_date)
    size = sum(path.stat().st_size for path in official_model_folder().iterdir() if path.suffix == ".onnx")
    return (
        f"{len(catalog.capabilities)} capabilities, {len(catalog.agents)} agents, {len(entries)} entries, each with "
        f"the pages it was read on ({dates[0]} to {dates[-1]}), and the embedding model ({size / 1e6:.0f} MB) ship "
        "with it."
    )


def family_table() -> str:
    """Return the families with their tools."""
    from server.tools.families import FAMILIES
    from server.toolset.registry import TOOLS

    lines = ["| family | what for | tools |", "|---|---|---|"]
    for family, purpose in FAMILIES.items():
        names = ", ".join(f"`{tool.name}`" for tool in TOOLS if tool.family == family)
        lines.append(f"| `{family}` | {purpose} | {names} |")
    return "\n".join(lines)


def tool_table() -> str:
    """Return the tools with their arguments and descriptions."""
    from server.schema import wire_schema
    from server.toolset.registry import TOOLS

    lines = ["| family | tool | arguments | what it answers |", "|---|---|---|---|"]
    for tool in TOOLS:
        schema = wire_schema(tool.request)
        required = schema.get("required", [])
        names = schema.get("properties", {})
        arguments = ", ".join(f"`{name}`" + ("" if name in required else "?") for name in names)
        lines.append(f"| `{tool.family}` | `{tool.name}` | {arguments} | {tool.description} |")
    return "\n".join(lines)


def command_table() -> str:
    """Return the subcommands with what they do."""
    from server.cli.main import COMMANDS, Parser, add_subcommand

    lines = ["| command | what it does |", "|---|---|"]

    class Listing:
        """Stands for the parser's subcommands, and lists them."""

        def add_parser(self, name: str, **texts: str) -> Parser:
            lines.append(f"| `{name}` | {texts['help']} |")
            return Parser()

    for name in COMMANDS:
        add_subcommand(name, Listing())
    return "\n".join(lines)


def token_tables() -> str:
    """Return what `benchmarks.tokens` counts: by start, and by scenario."""
    import anyio

    from benchmarks.tokens import measure, table

    found = anyio.run(measure)
    return f"{table(found['starts'])}\n\n{table(found['scenarios'])}"


PARTS: Final[Mapping[str, Callable[[], str]]] = {
    "contents": contents,
    "families": family_table,
    "tools": tool_table,
    "commands": command_table,
    "tokens": token_tables,
    "summary": docs_tables.summary_table,
    "accuracy": docs_tables.accuracy_table,
    "peers": docs_tables.peer_table,
    "few-examples": partial(docs_tables.stored_table, "few_examples"),
    "coverage-sets": partial(docs_tables.stored_table, "coverage_sets"),
    "install": partial(docs_tables.stored_table, "install_size"),
    "selective": partial(docs_tables.stored_table, "selective"),
    "open-intents": partial(docs_tables.stored_table, "open_intents"),
    "encoder": docs_tables.encoder_table,
    "intents": partial(docs_tables.stored_table, "intents"),
    "recorded": partial(docs_tables.stored_table, "recorded"),
    "answers": docs_tables.answer_table,
    "facets": docs_tables.facet_table,
    "start": partial(docs_tables.stored_table, "start"),
    "load": docs_tables.load_table,
    "mutants": partial(docs_tables.stored_table, "mutants"),
    "gateway": docs_tables.gateway_tables,
    "worst-cases": docs_tables.worst_case_table,
    "hosts": docs_tables.host_table,
}
"""Name of a part, as in `<!-- name:begin -->`, and what makes it."""
