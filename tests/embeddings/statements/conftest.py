import pytest

from embeddings.statements.statement import Statement
from embeddings.statements.statement_index import StatementIndex
from embeddings.training.statements import build_statements
from tests.toy import ToyEncoder

STATEMENTS = (
    Statement("agent", "Checkpoints", "description", "rewind what it did"),
    Statement("agent", "Checkpoints", "limitations", "outside tools are not covered", ("connect picture",)),
    Statement("agent", "Vision", "description", "see a picture", ("image", "undo a picture")),
    Statement("other", "Checkpoints", "description", "no undo and no image"),
)


@pytest.fixture
def index() -> StatementIndex:
    return build_statements(STATEMENTS, ToyEncoder())
