from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from embeddings.errors import VectorFileError
from embeddings.index.vector_product import Blocks
from embeddings.statements import statement_index
from embeddings.statements.statement import Statement
from embeddings.statements.statement_index import StatementIndex
from embeddings.training.statements import differences
from tests.embeddings.statements.conftest import STATEMENTS
from tests.toy import ToyEncoder


@pytest.fixture
def path(tmp_path: Path, index: StatementIndex) -> Path:
    statement_index.write(tmp_path / "statements.npz", index)
    return tmp_path / "statements.npz"


def test_what_was_written_is_read(path: Path, index: StatementIndex) -> None:
    found = statement_index.read(path, ToyEncoder(), STATEMENTS)
    assert found.statements == index.statements
    assert np.array_equal(found.blocks.restore(), index.blocks.restore())
    assert np.array_equal(found.axes, index.axes)


def test_the_same_index_gives_the_same_bytes(tmp_path: Path, path: Path, index: StatementIndex) -> None:
    statement_index.write(tmp_path / "again.npz", index)
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VectorFileError, match=r"cannot be read .*rebuild"):
        statement_index.read(tmp_path / "none.npz", ToyEncoder(), STATEMENTS)


def test_a_file_that_is_no_archive_is_refused(path: Path) -> None:
    intact = path.read_bytes()
    for content in [b"", b"not an archive"]:
        path.write_bytes(intact)
        path.write_bytes(content)
        with pytest.raises(VectorFileError, match="is damaged"):
            statement_index.read(path, ToyEncoder(), STATEMENTS)


def test_vectors_of_other_statements_are_refused(path: Path) -> None:
    others = [*STATEMENTS[:-1], Statement("other", "Checkpoints", "description", "reworded")]
    with pytest.raises(VectorFileError, match="has statements"):
        statement_index.read(path, ToyEncoder(), others)


def test_vectors_of_another_model_are_refused(path: Path) -> None:
    with pytest.raises(VectorFileError, match="has model 'toy-1', not 'toy-2'"):
        statement_index.read(path, ToyEncoder("toy-2"), STATEMENTS)


def test_too_few_vectors_are_refused(path: Path, index: StatementIndex) -> None:
    blocks = index.blocks
    short = replace(index, blocks=Blocks(blocks.values[1:], blocks.scales[1:], blocks.width))
    statement_index.write(path, short)
    with pytest.raises(VectorFileError, match="one vector for each"):
        statement_index.read(path, ToyEncoder(), STATEMENTS)


def test_axes_that_do_not_fit_the_model_are_refused(path: Path, index: StatementIndex) -> None:
    for axes in (index.axes[1:], index.axes * 2, np.full_like(index.axes, np.nan)):
        statement_index.write(path, replace(index, axes=axes))
        with pytest.raises(VectorFileError, match="the axes"):
            statement_index.read(path, ToyEncoder(), STATEMENTS)


def test_a_file_of_the_current_statements_has_no_differences(path: Path) -> None:
    assert differences(path, STATEMENTS, ToyEncoder()) == []


def test_a_vector_that_moved_is_a_difference(path: Path, index: StatementIndex) -> None:
    values = index.blocks.values.copy()
    values[0] = values[2]
    statement_index.write(path, replace(index, blocks=Blocks(values, index.blocks.scales, index.blocks.width)))
    (line,) = differences(path, STATEMENTS, ToyEncoder())
    assert line.startswith("vector of 'rewind what it did' is off by 1.4")
