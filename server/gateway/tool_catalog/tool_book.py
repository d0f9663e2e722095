"""The tools of the gateway as the matcher sees them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.labels.tool_list import LONGEST_NAME, ToolEntry
from embeddings.text.invisible import escaped, visible
from server.gateway.tool_catalog.gateway_tool import GatewayTool, Offered
from server.gateway.tool_catalog.names import SEPARATOR
from server.matching.known_tools import ASKED_IN_VAIN


def tool_book(tools: Sequence[GatewayTool], examples: Mapping[str, Sequence[str]]) -> PhraseBook:
    """Tools as labels, each with its full name as id, and its server among its words.

    Args:
        tools: at least one.
        examples: by full name, phrasings that a language model wrote.

    Raises:
        PhraseBookError: there are no tools.
    """
    reports: list[str] = []
    labels = tuple(_label(tool, tuple(examples.get(tool.name, ())), reports) for tool in tools)
    return PhraseBook(labels, out_of_scope_share=ASKED_IN_VAIN if examples else None, reports=tuple(reports))


def _label(tool: GatewayTool, examples: tuple[str, ...], reports: list[str]) -> Label:
    shown = tool.tool
    entry = {
        "name": tool.own_name,
        "title": shown.title or (shown.annotations and shown.annotations.title),
        "description": shown.description,
        "inputSchema": shown.input_schema,
    }
    told: list[str]
    place, server = f"tool {tool.name}", visible(tool.server[:LONGEST_NAME], one_line=True).strip()
    # What cannot be a label's name, such as spaces alone, has a readable name in the gateway.
    named = entry | {"name": tool.name.partition(SEPARATOR)[2]}
    label = ToolEntry.read(entry, place, told := []) or ToolEntry.read(named, place, told := [])
    reports += told
    if label is None:
        raise ValueError(f"{tool.name!r} has no name of its own; the gateway names every tool; make it anew")
    return replace(
        label,
        id=tool.name,
        fields={**label.fields, **({"server": (server,)} if server else {})},
        phrasings=examples,
        generated=frozenset(examples),
    )


def prebuilt_id(tool: Offered) -> str:
    """Return the id that `build-vectors` gives a tool of `gateway catalog`."""
    return f"{visible(tool.server[:LONGEST_NAME], one_line=True)}/{escaped(tool.own_name[:LONGEST_NAME])}"


def by_prebuilt_id(tools: Sequence[Offered]) -> Mapping[str, Offered]:
    """Return the tools by these ids."""
    return {prebuilt_id(tool): tool for tool in tools}


def says_the_same(kept: Label, wanted: Label, *, examples: bool) -> bool:
    """Return whether a kept label says of a tool what the wanted one does, whatever its id and metadata are.

    Args:
        kept: as it is kept.
        wanted: as the server describes the tool now.
        examples: its examples must be the same, too.
    """
    return _said(kept, examples) == _said(wanted, examples)


def _said(label: Label, examples: bool) -> Label:
    plain = replace(label, id="", metadata={})
    return plain if examples else replace(plain, phrasings=(), generated=frozenset())
