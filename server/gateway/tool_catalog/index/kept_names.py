"""What tools are called where they are kept: by this gateway, and by `build-vectors`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from embeddings.labels.label import Label
from embeddings.labels.tool_entry import LONGEST_NAME
from embeddings.text.invisible import escaped
from embeddings.text.visible import visible
from server.gateway.tool_catalog.gateway_tool import GatewayTool


def prebuilt_id(tool: GatewayTool) -> str:
    """The id that `build-vectors` gives a tool of `gateway catalog`."""
    return f"{visible(tool.server[:LONGEST_NAME], one_line=True)}/{escaped(tool.own_name[:LONGEST_NAME])}"


def by_prebuilt_id(tools: Sequence[GatewayTool]) -> Mapping[str, GatewayTool]:
    """The tools by these ids."""
    return {prebuilt_id(tool): tool for tool in tools}


def says_the_same(kept: Label, wanted: Label, *, examples: bool) -> bool:
    """Whether a kept label says of a tool what the wanted one does, whatever its id and metadata are.

    Args:
        kept: as it is kept.
        wanted: as the server describes the tool now.
        examples: its examples must be the same, too.
    """
    return _said(kept, examples) == _said(wanted, examples)


def _said(label: Label, examples: bool) -> Label:
    plain = replace(label, id="", metadata={})
    return plain if examples else replace(plain, phrasings=(), generated=frozenset())
