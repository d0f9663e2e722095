"""Chooses what makes the matcher of tools."""

from collections.abc import Iterable
from pathlib import Path

from embeddings.index.stores.uri import is_vector_file
from embeddings.ranking.decision import DEFAULT_COSTS, Costs
from server.gateway.tool_catalog.index.file_builder import FileBuilder
from server.gateway.tool_catalog.index.matcher_builder import MatcherBuilder
from server.gateway.tool_catalog.index.store_builder import StoreBuilder, tenant_of
from server.gateway.tool_catalog.index.tools_builder import ToolsBuilder
from server.matching.encoders import EncoderLoader


def tools_builder(
    store: str | None, servers: Iterable[str], loader: EncoderLoader, costs: Costs = DEFAULT_COSTS
) -> ToolsBuilder:
    """What makes the matcher of some servers' tools.

    Args:
        store: URI of the store, or name of the vector file, in which tools are kept; None for memory.
        servers: their names.
        loader: loads the encoder.
        costs: what mistakes cost the caller.
    """
    if store is None:
        return MatcherBuilder(loader, costs)
    if is_vector_file(store):
        return FileBuilder(Path(store), loader, costs)
    return StoreBuilder(store, tenant_of(servers), loader, costs)
