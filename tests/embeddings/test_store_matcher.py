import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.arrays import FloatArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.engines.file_store import FileStore
from embeddings.errors import PhraseBookError, StoreAwayError, StoreError
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from embeddings.ranking import store_proposal, store_snapshot
from embeddings.ranking.store_changes import put_labels, stored_labels
from embeddings.ranking.workload import read_texts
from embeddings.store_matcher import StoreMatcher
from embeddings.stores import manifest
from embeddings.stores.excerpt import excerpt, whole_of
from embeddings.stores.record import StoredLabel, keyed_labels
from embeddings.stores.store import EVERYTHING, Filter
from embeddings.training.store_build import build_store
from tests.toy import AXES, BOOK, ToyEncoder

WORDS = [*(word for axis in AXES for word in axis), "rewindd", "mcp", "not", "and", "please", "how much does it cost"]
PHRASES = ["undo it", "plug in outside toolz", "see a picture and also connect tools", "how much does it cost", "zzz"]


class AwayStore(FileStore):
    """A store whose engine can be away."""

    away = False

    def revision(self) -> str:
        self._check()
        return super().revision()

    def records(self, keys: Sequence[str]) -> list[StoredLabel]:
        self._check()
        return super().records(keys)

    def nearest(self, vectors: FloatArray, labels: int, where: Filter = EVERYTHING) -> list[list[str]]:
        self._check()
        return super().nearest(vectors, labels, where)

    def _check(self) -> None:
        if self.away:
            raise StoreAwayError("the engine is away; it must answer; start it")


def built(folder: Path, book: PhraseBook = BOOK, encoder: TextEncoder | None = None) -> AwayStore:
    store = AwayStore(folder / "toy.labels")
    build_store(book, encoder or ToyEncoder(), store)
    return store


@pytest.fixture(autouse=True)
def labels_of_large_catalogs_are_proposed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest, "FEW_THIN", manifest.FEW)


@cache
def file_of_many() -> bytes:
    """Return the file of a store whose labels are proposed: it has more than are always read."""
    labels = [
        Label(f"label {number}", (f"also {number}",), phrasings=(f"undo {number}", "connect")) for number in range(300)
    ]
    with TemporaryDirectory() as folder:
        built(Path(folder), PhraseBook(tuple(labels)))
        return (Path(folder) / "toy.labels").read_bytes()


def many(folder: Path) -> AwayStore:
    (folder / "toy.labels").write_bytes(file_of_many())
    return AwayStore(folder / "toy.labels")


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Matcher, StoreMatcher]:
    return Matcher.build(BOOK, ToyEncoder()), StoreMatcher(built(tmp_path_factory.mktemp("toy")), ToyEncoder())


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join))
def test_an_excerpt_of_all_labels_answers_as_the_catalog_in_memory(
    toy: tuple[Matcher, StoreMatcher], phrase: str
) -> None:
    wanted, found = (matcher.examine(phrase, top=3) for matcher in toy)
    assert found.result.decision == wanted.result.decision
    assert [match.name for match in found.result.matches] == [match.name for match in wanted.result.matches]
    assert found.ranking.confidences == pytest.approx(wanted.ranking.confidences, abs=1e-4)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), st.sets(st.integers(0, 2), min_size=1))
def test_the_signals_of_a_label_do_not_depend_on_the_labels_beside_it(
    toy: tuple[Matcher, StoreMatcher], phrase: str, kept: set[int]
) -> None:
    known = toy[1]._known
    keys = [known.manifest.keys[place] for place in sorted(kept)]
    whole, part = known.ready(known.manifest.keys), known.ready(tuple(keys))
    assert whole
    assert part
    wanted = whole.ranker.rank(phrase).signals[[*sorted(kept), 3]]
    assert part.ranker.rank(phrase).signals == pytest.approx(wanted, abs=1e-5)


def test_an_excerpt_knows_the_size_of_the_catalog(toy: tuple[Matcher, StoreMatcher]) -> None:
    known = toy[1]._known
    records = known.records(known.manifest.keys[:1])
    assert excerpt(records, known.manifest, whole_of(known.manifest)).corpus.catalog_size == len(BOOK.labels)


def test_labels_of_a_larger_catalog_are_proposed_by_name_and_by_nearness(tmp_path: Path) -> None:
    matcher = StoreMatcher(many(tmp_path), ToyEncoder())
    assert matcher.match("LABEL 250").matches[0].name == "label 250"
    assert matcher.match("please see what also 123 is", 3).matches[0].name == "label 123"
    assert len(matcher.examine("connect", explained=1000).explanation.candidates) == store_proposal.MAX_PROPOSED + 1


def test_a_label_that_was_put_is_found_and_one_that_was_removed_is_not(tmp_path: Path) -> None:
    store = built(tmp_path)
    matcher, other = StoreMatcher(store, ToyEncoder()), StoreMatcher(FileStore(tmp_path / "toy.labels"), ToyEncoder())
    matcher.put(Label("Time Travel", phrasings=("restore the past",)))
    assert matcher.match("time travel").matches[0].name == "Time Travel"
    assert (matcher.size, matcher.is_approximate) == (4, True)
    other._asked = 0
    assert other.match("time travel").matches[0].name == "Time Travel"
    assert matcher.remove("time travel") == 1
    assert matcher.match("time travel").decision != "resolved"
    assert store.verify() == []


def test_putting_and_removing_a_label_restores_what_is_known_of_the_catalog(tmp_path: Path) -> None:
    store = built(tmp_path)
    before = store.manifest()
    matcher = StoreMatcher(store, ToyEncoder())
    matcher.put(Label("Time Travel", phrasings=("restore the past",)))
    matcher.remove("Time Travel")
    assert replace(store.manifest(), approximate=False).pack() == before.pack()


def test_a_second_label_of_one_name_needs_an_id(tmp_path: Path) -> None:
    matcher = StoreMatcher(built(tmp_path), ToyEncoder())
    with pytest.raises(PhraseBookError, match="repeats the name"):
        matcher.put(Label("vision", id="v2"))


def test_the_last_label_stays(tmp_path: Path) -> None:
    matcher = StoreMatcher(built(tmp_path, PhraseBook((Label("Only"),))), ToyEncoder())
    with pytest.raises(StoreError, match="last label"):
        matcher.remove("only")


def test_vectors_of_another_model_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="build anew"):
        StoreMatcher(built(tmp_path), ToyEncoder("toy-2"))


def test_labels_at_hand_answer_degraded_while_the_engine_is_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = many(tmp_path)
    matcher = StoreMatcher(store, ToyEncoder())
    assert not matcher.match("label 7", 3).degraded
    store.away, matcher._asked = True, 0
    result = matcher.match("label 7", 3)
    assert (result.degraded, result.matches[0].name, matcher.is_degraded) == (True, "label 7", True)
    store.away = False
    assert matcher.match("label 7", 3).degraded, "an engine that was away a moment ago is not asked"
    matcher._retried -= 60
    assert not matcher.match("label 8", 3).degraded
    assert not matcher.is_degraded


def test_an_engine_that_is_away_before_any_label_was_used_is_told(tmp_path: Path) -> None:
    store = many(tmp_path)
    matcher = StoreMatcher(store, ToyEncoder())
    store.away = True
    with pytest.raises(StoreAwayError):
        matcher.match("undo it")


def test_only_labels_that_the_filter_admits_are_matched(tmp_path: Path) -> None:
    tagged = tuple(replace(label, metadata={"tenant": label.name[0]}) for label in BOOK.labels)
    store = built(tmp_path, replace(BOOK, labels=tagged))
    matcher = StoreMatcher(store, ToyEncoder(), where=Filter(tenant="V"))
    assert [match.name for match in matcher.match("undo it", 3).matches] == ["Vision"]
    nobody = StoreMatcher(store, ToyEncoder(), where=Filter(tenant="nobody"))
    assert (nobody.match("undo it").decision, nobody.match("undo it").matches) == ("no_match", ())


def test_few_records_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_snapshot, "MAX_RECORDS", 200)
    matcher = StoreMatcher(many(tmp_path), ToyEncoder())
    for number in range(300):
        matcher.match(f"label {number}")
    assert len(matcher._known._records) == 200


def test_a_name_alone_needs_no_vector(tmp_path: Path) -> None:
    cases: list[int | None] = [1, 3, None]
    for top in cases:
        encoder = ToyEncoder()
        matcher = StoreMatcher(many(tmp_path), encoder)
        matcher.match("label 5", top)
        assert (not encoder.encoded) == (top != 3), top


def test_a_message_is_read_by_its_clauses_windows_and_what_it_refuses() -> None:
    assert "connect my tools" in read_texts("please undo my last edit, and then connect my tools")
    story = " ".join(f"Sentence {number} of a long story." for number in range(90))
    assert len(read_texts(story)) > 4
    assert len(read_texts("I do not want to cancel my order, I want to change it")) > 1


def test_opening_a_matcher_at_a_uri_gives_one_over_the_store(tmp_path: Path) -> None:
    built(tmp_path)
    matcher = Matcher.open(str(tmp_path / "toy.labels"), ToyEncoder())
    assert matcher.match("rewind").matches[0].name == "Checkpoints"
    matcher.close()


def test_only_labels_with_the_given_keys_are_matched(tmp_path: Path) -> None:
    for count in [3, 200]:
        store = many(tmp_path)
        among = frozenset(f"name:label {number}" for number in range(count))
        matcher = StoreMatcher(store, ToyEncoder(), among=among)
        found = {match.name for match in matcher.match("undo", 300).matches}
        assert found, count
        assert found <= {f"label {number}" for number in range(count)}, count
        assert matcher.match("label 299").decision != "resolved", count
        assert (matcher.labels("label 2")[0].name, matcher.labels("label 299")) == ("label 2", []), count


def test_keys_of_labels_that_are_gone_do_no_harm(tmp_path: Path) -> None:
    matcher = StoreMatcher(built(tmp_path), ToyEncoder(), among=frozenset({"name:vision", "name:gone"}))
    assert [match.name for match in matcher.match("undo it", 3).matches] == ["Vision"]


def test_a_catalog_that_is_read_as_a_whole_has_a_whole_matcher(tmp_path: Path) -> None:
    matcher = StoreMatcher(built(tmp_path), ToyEncoder())
    whole = Matcher.whole_of(matcher)
    assert whole is not None
    assert whole.names == [label.name for label in BOOK.labels]
    assert len(whole.projection().labels) == 3


def test_a_larger_catalog_has_no_whole_matcher(tmp_path: Path) -> None:
    assert Matcher.whole_of(StoreMatcher(many(tmp_path), ToyEncoder())) is None


def test_while_one_phrase_waits_for_an_engine_that_hangs_others_are_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = built(tmp_path)
    matcher = StoreMatcher(store, ToyEncoder())
    matcher.match("rewind")  # So that the labels are at hand.
    asked, go_on = threading.Event(), threading.Event()

    def hang() -> str:
        asked.set()
        assert go_on.wait(20)
        raise StoreAwayError("the engine is away; it must answer; start it")

    monkeypatch.setattr(store, "revision", hang)
    matcher._asked = 0
    waiting = threading.Thread(target=matcher.match, args=("rewind",))
    waiting.start()
    assert asked.wait(20)
    assert matcher.match("rewind").matches[0].name == "Checkpoints"
    assert waiting.is_alive()
    go_on.set()
    waiting.join(20)
    assert matcher.is_degraded


def test_an_engine_that_comes_back_is_not_degraded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("embeddings.store_matcher.RETRIED_AFTER", 0.0)
    monkeypatch.setattr("embeddings.store_matcher.ASKED_EVERY", 0.0)
    store = built(tmp_path)
    matcher = StoreMatcher(store, ToyEncoder())
    for away in (True, True, False):
        store.away = away
        assert matcher.is_degraded is away


def test_many_labels_are_put_at_once(tmp_path: Path) -> None:
    store, encoder = built(tmp_path), ToyEncoder()
    wanted = keyed_labels(PhraseBook(tuple(Label(f"undo {number}", id=f"new-{number}") for number in range(600))))
    put_labels(store, encoder, wanted)
    assert (store.count().labels, store.verify()) == (603, [])
    assert stored_labels(store, ["id:new-599", "id:gone"]) == {"id:new-599": Label("undo 599", id="new-599")}
    put_labels(store, encoder, wanted[:5])
    assert store.count().labels == 603
