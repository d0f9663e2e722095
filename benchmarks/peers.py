"""Lists the matchers that are compared."""

from typing import Final

from benchmarks.bm25_peers import Bm25, FastMcpBm25, Hybrid
from benchmarks.fitted_peers import LogisticRegression, Ours
from benchmarks.peer import Peer
from benchmarks.router_peers import CalibratedRouter, SemanticRouter
from benchmarks.vector_peers import NameCosine, PhraseCosine
from benchmarks.word_peers import AliasTable, RapidFuzz

PEERS: Final[tuple[type[Peer], ...]] = (
    Ours,
    LogisticRegression,
    CalibratedRouter,
    SemanticRouter,
    Hybrid,
    PhraseCosine,
    NameCosine,
    Bm25,
    FastMcpBm25,
    RapidFuzz,
    AliasTable,
)
"""The matchers in the order of the tables."""
