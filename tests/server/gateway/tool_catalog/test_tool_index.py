"""The matcher of the newest tools."""

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from embeddings.errors import ModelError
from embeddings.matcher import Matcher
from server.gateway.tool_catalog.gateway_tool import GatewayTool
from server.gateway.tool_catalog.tool_index import BUILDER, ToolIndex
from tests.server.gateway.tool_catalog.indexed import CONNECT, MANY, UNDO, best, settled
from tests.server.gateway.tool_catalog.tools import offered
from tests.toy import ToyEncoder


class SlowEncoder(ToyEncoder):
    """Embeds texts of tools only when it may, and notes the threads that did."""

    def __init__(self) -> None:
        super().__init__()
        self.may = threading.Event()
        self.asked = threading.Event()
        self.threads: set[str] = set()

    def encode(self, texts: Sequence[str]) -> Any:
        self.threads.add(threading.current_thread().name)
        self.asked.set()
        assert self.may.wait(20)
        return super().encode(texts)


@pytest.fixture
def encoder() -> SlowEncoder:
    found = SlowEncoder()
    found.may.set()
    return found


@pytest.fixture
def index(encoder: SlowEncoder) -> Iterator[ToolIndex]:
    found = ToolIndex(lambda threads: encoder)
    yield found
    encoder.may.set()
    found.close(20)


def test_tools_are_found_by_meaning_once_they_are_embedded(index: ToolIndex) -> None:
    settled(index, offered(**UNDO, **CONNECT))
    assert not index.degraded
    assert best(index, "rewind") == "files__undo_edit"


def test_until_they_are_embedded_tools_are_found_by_names_and_words(index: ToolIndex, encoder: SlowEncoder) -> None:
    encoder.may.clear()
    index.replace(offered(**UNDO, **CONNECT))
    assert best(index, "an earlier file") == "files__undo_edit"
    assert index.degraded


def test_pending_says_how_many_texts_wait(index: ToolIndex, encoder: SlowEncoder) -> None:
    encoder.may.clear()
    index.replace(offered(**UNDO))
    assert encoder.asked.wait(20)
    assert index.pending == 3
    encoder.may.set()
    index.settle(20)
    assert index.pending == 0


def test_a_query_embeds_no_text_of_a_tool(index: ToolIndex, encoder: SlowEncoder) -> None:
    settled(index, offered(**UNDO, **CONNECT))
    embedded, encoded = index.embedded, len(encoder.encoded)
    best(index, "restore what was there")
    assert index.embedded == embedded
    assert set(encoder.encoded[encoded:]) == {"restore what was there"}


def test_only_the_index_own_thread_embeds(index: ToolIndex, encoder: SlowEncoder) -> None:
    settled(index, offered(**UNDO))
    settled(index, offered(**CONNECT))
    assert encoder.threads == {BUILDER}


def test_only_what_changed_is_embedded(index: ToolIndex) -> None:
    settled(index, offered(**MANY))
    before = index.embedded
    settled(index, offered(**MANY, undo_edit="Go back."))
    # Its name, its description, and both together.
    assert index.embedded - before == 3
    assert best(index, "rewind") == "files__undo_edit"
    settled(index, offered(**MANY, **UNDO))
    before = index.embedded
    settled(index, offered(**MANY, undo_edit="Rewind."))
    assert index.embedded - before == 2


def test_after_a_restart_nothing_is_embedded_again(index: ToolIndex, encoder: SlowEncoder) -> None:
    settled(index, offered(**MANY))
    assert index.embedded > 0
    again = ToolIndex(lambda threads: encoder)
    settled(again, offered(**MANY)).close()
    assert (again.embedded, again.degraded) == (0, False)


def test_while_a_few_tools_are_added_the_others_are_still_found_by_meaning(
    index: ToolIndex, encoder: SlowEncoder
) -> None:
    settled(index, offered(**MANY, **UNDO))
    matcher = index.matcher
    encoder.may.clear()
    index.replace(offered(**MANY, **UNDO, **CONNECT))
    assert index.matcher is matcher
    assert [tool.name for tool in index.exact("connect_tool")] == ["files__connect_tool"]


def test_while_many_tools_are_added_all_are_found_by_their_words(index: ToolIndex, encoder: SlowEncoder) -> None:
    settled(index, offered(**UNDO))
    encoder.may.clear()
    index.replace(offered(**UNDO, **MANY))
    with index._changed:
        assert index._changed.wait_for(lambda: index.degraded, 20)
    assert best(index, "an earlier file") == "files__undo_edit"
    assert best(index, "see_7") == "files__see_7"


def test_of_several_changes_the_last_is_taken_up(index: ToolIndex, encoder: SlowEncoder) -> None:
    encoder.may.clear()
    for tools in (UNDO, MANY, CONNECT):
        index.replace(offered(**tools))
    encoder.may.set()
    assert index.settle(20)
    assert isinstance(index.matcher, Matcher)
    assert index.matcher.names == ["connect_tool"]


def test_without_tools_there_is_no_matcher(index: ToolIndex) -> None:
    settled(index, offered(**UNDO))
    assert index.exact("undo_edit")
    settled(index, ())
    assert (index.matcher, index.tools, index.exact("undo_edit")) == (None, (), ())
    assert index.matcher is None
    assert index.settle(0)


def test_examples_count_as_soon_as_tools_are_replaced(encoder: SlowEncoder) -> None:
    examples: dict[str, Sequence[str]] = {}
    index = ToolIndex(lambda threads: encoder, lambda tools: examples)
    settled(index, offered(**UNDO, **CONNECT))
    examples["files__connect_tool"] = ["ring my bell"]
    settled(index, offered(**UNDO, **CONNECT)).close()
    assert isinstance(index.matcher, Matcher)
    assert "ring my bell" in index.matcher.texts_and_vectors()[0]


def test_a_restart_loads_what_was_fitted_to_examples(encoder: SlowEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    def examples(tools: Sequence[GatewayTool]) -> dict[str, Sequence[str]]:
        return {"files__connect_tool": ["plug it in", "outside"]}

    settled(ToolIndex(lambda threads: encoder, examples), offered(**UNDO, **CONNECT)).close()
    monkeypatch.setattr(Matcher, "build", None)
    again = settled(ToolIndex(lambda threads: encoder, examples), offered(**UNDO, **CONNECT))
    again.close()
    assert (again.degraded, again.embedded) == (False, 0)


def test_a_tool_beside_many_with_examples_updates_the_matcher(
    encoder: SlowEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = ToolIndex(lambda threads: encoder, lambda tools: {"files__see_1": ["look there", "what is this image"]})
    settled(index, offered(**MANY))
    monkeypatch.setattr(Matcher, "build", None)
    settled(index, offered(**MANY, **UNDO)).close()
    assert isinstance(index.matcher, Matcher)
    assert index.matcher.is_approximate
    assert best(index, "rewind") == "files__undo_edit"


def test_without_a_model_tools_are_found_by_names_and_words(caplog: pytest.LogCaptureFixture) -> None:
    def refuse(threads: int) -> ToyEncoder:
        raise ModelError("no model here")

    index = ToolIndex(refuse)
    settled(index, offered(**UNDO, **CONNECT)).close()
    assert index.degraded
    assert best(index, "undo_edit") == "files__undo_edit"
    assert "no model here" in caplog.text


def test_a_fault_leaves_the_index_at_work(encoder: SlowEncoder, caplog: pytest.LogCaptureFixture) -> None:
    def examples(tools: Sequence[GatewayTool]) -> dict[str, Sequence[str]]:
        if tools[0].own_name == "undo_edit":
            raise RuntimeError("out of luck")
        return {}

    index = ToolIndex(lambda threads: encoder, examples)
    settled(index, offered(**UNDO))
    assert best(index, "undo_edit") == "files__undo_edit"
    settled(index, offered(**CONNECT)).close()
    assert not index.degraded
    assert best(index, "plug") == "files__connect_tool"


def test_a_matcher_that_cannot_rank_is_not_taken_up(index: ToolIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Matcher) -> None:
        raise ValueError("out of luck")

    monkeypatch.setattr(Matcher, "try_out", fail)
    settled(index, offered(**UNDO))
    assert index.degraded
    assert best(index, "undo_edit") == "files__undo_edit"


def test_a_closed_index_keeps_nobody_waiting(index: ToolIndex, encoder: SlowEncoder) -> None:
    encoder.may.clear()
    index.replace(offered(**UNDO))
    index.close()
    assert index.settle(20)


def test_tools_that_come_while_others_are_embedded_are_found_by_words(index: ToolIndex, encoder: SlowEncoder) -> None:
    encoder.may.clear()
    index.replace(offered(**UNDO))
    assert encoder.asked.wait(20)
    index.replace(offered(**UNDO, **CONNECT))
    assert index.degraded
    assert best(index, "connect tool") == "files__connect_tool"


def test_a_matcher_that_lacks_many_of_the_tools_does_not_pass_as_complete(
    index: ToolIndex, encoder: SlowEncoder
) -> None:
    settled(index, offered(**UNDO))
    encoder.may.clear()
    encoder.asked.clear()
    index.replace(offered(**UNDO, **CONNECT))
    assert index.degraded
    encoder.may.set()
    assert index.settle(20)
    assert not index.degraded
