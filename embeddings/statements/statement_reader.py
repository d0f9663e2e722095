"""What a server asks of statements: which bear on a phrase, and what they say about which label is meant."""

from collections.abc import Sequence

from embeddings.encoder.protocol import TextEncoder
from embeddings.ranking.ranking import Ranking
from embeddings.statements.evidence import Evidence
from embeddings.statements.nearness import StatementComparer
from embeddings.statements.relevance import Relevance
from embeddings.statements.statement import Relevant
from embeddings.statements.statement_index import StatementIndex


class StatementReader:
    """Reads the statements of one catalog. Safe to share between threads."""

    def __init__(self, index: StatementIndex, encoder: TextEncoder, labels: Sequence[str]) -> None:
        """Read an index.

        Args:
            index: the statements.
            encoder: the encoder that made its vectors.
            labels: the names of the catalog's labels, in the order of its rankings.
        """
        comparer = StatementComparer(index, encoder)
        self.relevance = Relevance(index, comparer)
        self.evidence = Evidence(index, comparer, labels)

    def relevant(self, phrase: str, group: str, label: str, sure: float) -> list[Relevant]:
        """See `Relevance.relevant`."""
        return self.relevance.relevant(phrase, group, label, sure)

    def weigh(self, phrase: str, ranking: Ranking, group: str) -> Ranking:
        """See `Evidence.weigh`."""
        return self.evidence.weigh(phrase, ranking, group)
