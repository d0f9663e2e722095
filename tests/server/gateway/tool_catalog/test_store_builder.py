"""Tools that are kept in a store."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from embeddings.engines.file_store import FileStore
from embeddings.errors import StoreAwayError
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.decision import DEFAULT_COSTS
from embeddings.store_matcher import StoreMatcher
from embeddings.training.store_build import build_store
from server.gateway.tool_catalog import store_builder
from server.gateway.tool_catalog.gateway_tool import GatewayTool
from server.gateway.tool_catalog.store_builder import StoreBuilder, tenant_of
from server.gateway.tool_catalog.tool_index import ToolIndex
from tests.server.gateway.tool_catalog.indexed import CONNECT, MANY, UNDO, best, settled
from tests.server.gateway.tool_catalog.tools import offered
from tests.toy import ToyEncoder


@pytest.fixture(autouse=True)
def no_cached_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each gateway is on a machine of its own."""
    monkeypatch.setattr("server.gateway.tool_catalog.tool_texts.TextCache._files", lambda self: [])


class Gateways:
    """Indexes of gateways that share a store."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self.made: list[ToolIndex] = []

    def __call__(
        self,
        tools: Sequence[GatewayTool],
        servers: Sequence[str] = ("files",),
        examples: Mapping[str, Sequence[str]] | None = None,
    ) -> ToolIndex:
        builder = StoreBuilder(self.uri, tenant_of(servers), lambda _: ToyEncoder(), DEFAULT_COSTS)
        index = ToolIndex(lambda _: ToyEncoder(), lambda _: examples or {}, builder=builder)
        self.made.append(index)
        return settled(index, tools)


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "tools.labels")


@pytest.fixture
def gateway(store: str) -> Iterator[Gateways]:
    found = Gateways(store)
    yield found
    for index in found.made:
        index.close(20)


def found(index: ToolIndex, phrase: str) -> set[str]:
    assert index.matcher is not None
    return {match.id for match in index.matcher.match(phrase, 100).matches}


def stored(store: str) -> int:
    return FileStore(Path(store)).count().labels


def test_an_empty_store_is_filled(gateway: Gateways, store: str) -> None:
    index = gateway(offered(**UNDO, **CONNECT))
    assert (index.degraded, best(index, "rewind")) == (False, "files__undo_edit")
    assert (stored(store), FileStore(Path(store)).verify()) == (2, [])


def test_a_replica_embeds_nothing_that_another_one_has_stored(gateway: Gateways) -> None:
    assert gateway(offered(**UNDO, **MANY)).embedded > 0
    replica = gateway(offered(**UNDO, **MANY))
    assert (replica.embedded, best(replica, "rewind")) == (0, "files__undo_edit")


def test_a_new_tool_and_a_changed_one_are_put_and_no_other(gateway: Gateways, store: str) -> None:
    index = gateway(offered(**MANY, **UNDO))
    before = index.embedded
    settled(index, offered(**MANY, **CONNECT, undo_edit="Rewind."))
    # All that is said of the two: name, description, and both together.
    assert index.embedded - before == 6
    assert best(index, "plug") == "files__connect_tool"
    assert stored(store) == 22


def test_a_store_with_much_less_than_there_is_is_built_anew(gateway: Gateways, store: str) -> None:
    index = gateway(offered(**UNDO))
    settled(index, offered(**UNDO, **MANY))
    assert not FileStore(Path(store)).manifest().approximate
    assert stored(store) == 21


def test_a_store_that_grows_little_by_little_is_built_anew_at_last(gateway: Gateways, store: str) -> None:
    index = gateway(offered(**MANY))
    grown = dict(MANY)
    for number in range(5):
        grown[f"more_{number}"] = "Look at a picture."
        settled(index, offered(**grown))
        assert FileStore(Path(store)).manifest().approximate
    settled(index, offered(**grown, **UNDO))
    assert not FileStore(Path(store)).manifest().approximate


def test_tools_that_this_gateway_does_not_have_are_not_proposed(gateway: Gateways) -> None:
    gateway(offered(**UNDO, **CONNECT))
    replica = gateway(offered(**CONNECT))
    assert found(replica, "rewind") == {"files__connect_tool"}


def test_gateways_of_other_servers_do_not_see_each_other(gateway: Gateways, store: str) -> None:
    first = gateway(offered(undo_edit="Rewind."), ["files"])
    other = gateway(offered(undo_edit="Look at a picture."), ["files", "git"])
    assert stored(store) == 2
    assert [len(found(index, "rewind")) for index in (first, other)] == [1, 1]
    assert best(other, "see a picture") == "files__undo_edit"


def test_the_order_of_servers_does_not_matter() -> None:
    assert tenant_of(["a", "b"]) == tenant_of(["b", "a"]) != tenant_of(["a"])


def test_more_tools_than_are_read_as_a_whole_are_proposed_by_the_store(gateway: Gateways) -> None:
    index = gateway(offered(**UNDO, **{f"see_{number}": "Look at a picture." for number in range(200)}))
    assert best(index, "rewind") == "files__undo_edit"
    assert best(index, "see_77") == "files__see_77"


def test_a_store_that_build_vectors_wrote_is_used_as_it_is(gateway: Gateways, store: str) -> None:
    tools = offered(**UNDO, **CONNECT)
    catalog = {"files": {"tools": [tool.tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]}}
    for entry, tool in zip(catalog["files"]["tools"], tools, strict=True):
        entry["name"] = tool.own_name
    book = PhraseBook.from_dict(json.loads(json.dumps(catalog)))
    build_store(book, ToyEncoder(), FileStore(Path(store)))
    index = gateway(tools)
    assert (index.embedded, best(index, "rewind")) == (0, "files__undo_edit")
    settled(index, offered(**UNDO, connect_tool="See a picture."))
    assert (best(index, "see"), stored(store)) == ("files__connect_tool", 3)
    assert len(found(index, "see")) == 2


def test_another_catalog_in_the_store_stays(gateway: Gateways, store: str) -> None:
    build_store(PhraseBook((Label("Rewind"), Label("Restore"))), ToyEncoder(), FileStore(Path(store)))
    index = gateway(offered(**UNDO))
    assert found(index, "rewind") == {"files__undo_edit"}
    assert stored(store) == 3


def test_examples_are_kept_with_their_tool(gateway: Gateways) -> None:
    gateway(offered(**UNDO, **CONNECT))
    index = gateway(offered(**UNDO, **CONNECT), examples={"files__connect_tool": ["ring my bell"]})
    assert best(index, "ring my bell") == "files__connect_tool"


def test_vectors_of_another_model_leave_the_tools_to_their_words(
    gateway: Gateways, store: str, caplog: pytest.LogCaptureFixture
) -> None:
    build_store(PhraseBook((Label("Rewind"),)), ToyEncoder("toy-2"), FileStore(Path(store)))
    index = gateway(offered(**UNDO))
    assert (index.degraded, best(index, "undo edit")) == (True, "files__undo_edit")
    assert "build anew" in caplog.text
    assert stored(store) == 1


def test_while_the_engine_is_away_tools_are_found_by_their_words_and_it_is_said(
    gateway: Gateways, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("embeddings.store_matcher.ASKED_EVERY", 0.0)
    monkeypatch.setattr("embeddings.store_matcher.RETRIED_AFTER", 0.0)
    index = gateway(offered(**UNDO, **CONNECT))
    with monkeypatch.context() as away:
        away.setattr(FileStore, "revision", _away)
        assert (index.degraded, index.trouble) == (True, "away")
        assert best(index, "an earlier file") == "files__undo_edit"
    assert index.trouble is None
    assert best(index, "rewind") == "files__undo_edit"


def test_an_engine_that_comes_back_is_taken_up(gateway: Gateways, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StoreBuilder, "looks_every", 0.05)
    with monkeypatch.context() as away:
        away.setattr(FileStore, "revision", _away)
        index = gateway(offered(**UNDO))
        assert (index.degraded, best(index, "undo edit")) == (True, "files__undo_edit")
    with index._changed:
        assert index._changed.wait_for(lambda: not index.degraded, 20)


def test_tools_that_another_process_removed_are_put_again(
    gateway: Gateways, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StoreBuilder, "looks_every", 0.05)
    index = gateway(offered(**UNDO, **CONNECT))
    StoreMatcher(FileStore(Path(store)), ToyEncoder()).remove(f"{tenant_of(['files'])}/files__undo_edit")
    with index._changed:
        assert index._changed.wait_for(lambda: stored(store) == 2, 20)


def test_a_damaged_store_is_logged_and_asked_again_later(
    gateway: Gateways, store: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(store_builder, "DEGRADED_FOR", 0.0)
    monkeypatch.setattr("embeddings.store_matcher.ASKED_EVERY", 0.0)
    index = gateway(offered(**UNDO, **CONNECT))
    content = Path(store).read_bytes()
    Path(store).write_bytes(content[: len(content) // 2])
    assert best(index, "an earlier file") == "files__undo_edit"
    assert "tools are found by names and words alone" in caplog.text
    Path(store).write_bytes(content)
    assert best(index, "rewind") == "files__undo_edit"


def _away(_: FileStore) -> str:
    raise StoreAwayError("the engine is away; it must answer; start it")
