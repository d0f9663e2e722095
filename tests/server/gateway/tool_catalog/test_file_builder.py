"""Tools that are kept in a vector file."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from embeddings.ranking.decision import DEFAULT_COSTS
from server.gateway.tool_catalog.gateway_tool import GatewayTool
from server.gateway.tool_catalog.matcher_builder import FileBuilder
from server.gateway.tool_catalog.tool_index import ToolIndex
from tests.server.gateway.tool_catalog.indexed import CONNECT, MANY, UNDO, best, settled
from tests.server.gateway.tool_catalog.tools import offered
from tests.toy import ToyEncoder

Kept = Callable[..., ToolIndex]


@pytest.fixture(autouse=True)
def no_cached_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.gateway.tool_catalog.tool_texts.TextCache._files", lambda self: [])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tools.npz"


@pytest.fixture
def gateway(file: Path) -> Iterator[Kept]:
    made: list[ToolIndex] = []

    def make(tools: Sequence[GatewayTool], examples: Mapping[str, Sequence[str]] | None = None) -> ToolIndex:
        builder = FileBuilder(file, lambda _: ToyEncoder(), DEFAULT_COSTS)
        made.append(ToolIndex(lambda _: ToyEncoder(), lambda _: examples or {}, builder=builder))
        return settled(made[-1], tools)

    yield make
    for index in made:
        index.close(20)


def test_tools_are_read_from_the_file_at_the_next_start(gateway: Kept, file: Path) -> None:
    assert gateway(offered(**UNDO, **CONNECT)).embedded > 0
    content = file.read_bytes()
    again = gateway(offered(**UNDO, **CONNECT))
    assert (again.embedded, best(again, "rewind"), file.read_bytes() == content) == (0, "files__undo_edit", True)


def test_what_is_new_is_embedded_alone_and_written(gateway: Kept, file: Path) -> None:
    gateway(offered(**MANY))
    index = gateway(offered(**MANY, **UNDO))
    assert (index.embedded, best(index, "rewind")) == (3, "files__undo_edit")
    assert len(Matcher.load(file, ToyEncoder()).names) == 21


def test_a_file_with_much_less_than_there_is_is_written_anew(gateway: Kept, file: Path) -> None:
    gateway(offered(**UNDO))
    gateway(offered(**UNDO, **MANY))
    assert not Matcher.load(file, ToyEncoder()).is_approximate


def test_a_file_that_build_vectors_wrote_keeps_its_examples(gateway: Kept, file: Path) -> None:
    given = {"name": "undo_edit", "description": UNDO["undo_edit"]}
    (label,) = PhraseBook.from_dict({"files": {"tools": [given]}}).labels
    examples = Label(label.name, (), label.description, ("ring my bell",), id=label.id, fields=label.fields)
    Matcher.build(PhraseBook((examples,), ("how much is it",)), ToyEncoder()).save(file)
    index = gateway(offered(**UNDO))
    assert (index.embedded, best(index, "ring my bell")) == (0, "files__undo_edit")


def test_the_vectors_of_another_catalog_or_model_are_never_overwritten(
    gateway: Kept, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cases: list[ToyEncoder] = [ToyEncoder(), ToyEncoder("toy-2")]
    for encoder in cases:
        caplog.clear()
        Matcher.build(PhraseBook((Label("Rewind"),)), encoder).save(file)
        content = file.read_bytes()
        index = gateway(offered(**UNDO))
        assert (index.degraded, best(index, "undo edit"), file.read_bytes() == content) == (
            True,
            "files__undo_edit",
            True,
        ), encoder
        assert str(file) in caplog.text, encoder


def test_a_file_that_cannot_be_written_is_told(
    gateway: Kept, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr(Matcher, "save", full)
    index = gateway(offered(**UNDO))
    assert (index.degraded, best(index, "rewind")) == (False, "files__undo_edit")
    assert "no space left" in caplog.text
