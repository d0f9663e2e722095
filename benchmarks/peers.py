"""Lists the matchers that are compared."""

from typing import Final

from benchmarks.fitted_peers import LogisticRegression, Ours
from benchmarks.peer import Peer
from benchmarks.vector_peers import NameCosine, PhraseCosine, SemanticRouter
from benchmarks.word_peers import AliasTable, Bm25, RapidFuzz

PEERS: Final[tuple[type[Peer], ...]] = (
    Ours,
    LogisticRegression,
    SemanticRouter,
    PhraseCosine,
    NameCosine,
    Bm25,
    RapidFuzz,
    AliasTable,
)
"""The matchers in the order of the tables."""
