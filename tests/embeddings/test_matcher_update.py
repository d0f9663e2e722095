import threading
from dataclasses import replace
from pathlib import Path

import pytest

from embeddings.errors import ModelError, PhraseBookError, StoreError
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from embeddings.ranking.match_result import Match
from tests.conftest import SHORT_BACKGROUND
from tests.toy import BOOK, ToyEncoder

UNDO, TOOLS, VISION = BOOK.labels
LENS = Label("Lens", ("spyglass",), "", ("see far", "see a picture from afar"))
MORE = replace(BOOK, labels=(*BOOK.labels, LENS))


@pytest.fixture
def built(encoder: ToyEncoder) -> Matcher:
    matcher = Matcher.build(BOOK, encoder)
    encoder.encoded.clear()
    return matcher


def test_only_new_texts_are_embedded(built: Matcher, encoder: ToyEncoder) -> None:
    built.update(MORE)
    assert encoder.encoded == ["Lens", "spyglass", "see far", "see a picture from afar"]


def test_a_text_that_only_moves_is_not_embedded_again(built: Matcher, encoder: ToyEncoder) -> None:
    moved = replace(UNDO, phrasings=UNDO.phrasings[:1]), replace(TOOLS, phrasings=(*TOOLS.phrasings, *UNDO.phrasings))
    built.update(replace(BOOK, labels=(*moved, VISION)))
    assert encoder.encoded == []


def test_progress_counts_the_new_texts(built: Matcher) -> None:
    told: list[tuple[int, int]] = []
    built.update(MORE, lambda done, all_: told.append((done, all_)))
    assert told == [(4, 4)]


def test_an_added_label_is_found_by_name_alias_and_meaning(built: Matcher) -> None:
    updated = built.update(MORE)
    assert updated.match("lens").matches == (Match("Lens", 1.0, "exact"),)
    assert updated.match("Spyglass!").matches == (Match("Lens", 1.0, "alias"),)
    assert "Lens" in {match.name for match in updated.match("see it from afar", top=2).matches}


def test_a_removed_label_is_gone(built: Matcher) -> None:
    updated = built.update(replace(BOOK, labels=(UNDO, VISION)))
    assert updated.names == ["Checkpoints", "Vision"]
    assert "MCP Support" not in {match.name for match in updated.match("mcp", top=9).matches}


def test_a_renamed_label_answers_to_its_new_name(built: Matcher) -> None:
    updated = built.update(replace(BOOK, labels=(replace(UNDO, name="History"), TOOLS, VISION)))
    assert updated.match("history").matches == (Match("History", 1.0, "exact"),)
    assert updated.match("undo").matches[0].name == "History"
    assert "Checkpoints" not in updated.names


def test_changed_aliases_are_the_ones_that_count(built: Matcher) -> None:
    updated = built.update(replace(BOOK, labels=(replace(UNDO, aliases=("go back",)), TOOLS, VISION)))
    assert updated.match("go back").matches == (Match("Checkpoints", 1.0, "alias"),)
    assert updated.match("rewind").matches[0].matched_by != "alias"


def test_an_alias_that_becomes_shared_is_ambiguous(built: Matcher) -> None:
    assert built.match("images").decision == "resolved"
    updated = built.update(replace(BOOK, labels=(replace(UNDO, aliases=("images",)), TOOLS, VISION)))
    assert updated.match("images").decision == "ambiguous"


def test_an_added_out_of_scope_phrase_turns_its_like_away(built: Matcher) -> None:
    phrase = "see the bill for outside help"
    before = built.explain(phrase).candidates[-1].match_confidence
    updated = built.update(replace(BOOK, out_of_scope=(*BOOK.out_of_scope, phrase)))
    assert updated.explain(phrase).candidates[-1].match_confidence > before


def test_background_phrases_stay(built: Matcher) -> None:
    background = [text for text in built.texts_and_vectors()[0] if text in SHORT_BACKGROUND["Tell jokes"]]
    assert background
    for book in (MORE, replace(BOOK, out_of_scope=()), replace(BOOK, labels=BOOK.labels[:1])):
        assert set(background) <= set(built.update(book).texts_and_vectors()[0])


def test_a_background_phrase_is_not_embedded_again(built: Matcher, encoder: ToyEncoder) -> None:
    built.update(MORE)
    assert not set(encoder.encoded) & {*SHORT_BACKGROUND["Tell jokes"], *SHORT_BACKGROUND["Chat about food"]}


def test_the_old_matcher_answers_as_before_while_and_after_it_is_updated(built: Matcher) -> None:
    phrases = ["undo", "see it", "connect", "snapshts", "what is the cost"]
    before = [built.match(phrase, top=9) for phrase in phrases]
    wrong: list[str] = []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            wrong.extend(p for p, result in zip(phrases, before, strict=True) if built.match(p, top=9) != result)

    asking = [threading.Thread(target=ask) for _ in range(4)]
    for thread in asking:
        thread.start()
    try:
        for count in range(1, 20):
            built.update(replace(MORE, out_of_scope=BOOK.out_of_scope * count)).match("undo")
    finally:
        done.set()
        for thread in asking:
            thread.join()
    assert wrong == []
    assert [built.match(phrase, top=9) for phrase in phrases] == before
    assert not built.is_approximate


def test_an_update_without_a_change_is_the_same_matcher(built: Matcher) -> None:
    assert built.update(PhraseBook.from_dict(BOOK.to_dict())) is built


def test_a_change_of_metadata_alone_leaves_the_fit_exact(built: Matcher, encoder: ToyEncoder) -> None:
    updated = built.update(replace(BOOK, labels=(replace(UNDO, metadata={"owner": "ann"}), TOOLS, VISION)))
    assert updated is not built
    assert not updated.is_approximate
    assert encoder.encoded == []


def test_an_updated_matcher_says_that_it_is_approximate(built: Matcher) -> None:
    updated = built.update(MORE)
    assert (built.is_approximate, updated.is_approximate) == (False, True)
    explained = updated.explain("undo")
    assert explained.to_dict()["approximate"] is True
    assert "approximate" in explained.to_text()
    assert "approximate" not in built.explain("undo").to_text() + str(built.explain("undo").to_dict())


def test_a_catalog_that_changed_back_stays_approximate(built: Matcher) -> None:
    assert built.update(MORE).update(BOOK).is_approximate


def test_an_updated_matcher_is_saved_and_loaded_with_its_mark(built: Matcher, tmp_path: Path) -> None:
    updated = built.update(MORE)
    updated.save(tmp_path / "vectors.npz")
    loaded = Matcher.load(tmp_path / "vectors.npz", ToyEncoder(), MORE)
    assert loaded.is_approximate
    assert [loaded.match(p, top=9) for p in ("see far", "undo")] == [
        updated.match(p, top=9) for p in ("see far", "undo")
    ]


def test_a_loaded_matcher_can_be_updated(built: Matcher, encoder: ToyEncoder, tmp_path: Path) -> None:
    built.save(tmp_path / "vectors.npz")
    loaded = Matcher.load(tmp_path / "vectors.npz", encoder)
    encoder.encoded.clear()
    assert loaded.update(MORE).match("lens").decision == "resolved"
    assert "undo it" not in encoder.encoded


def test_another_encoder_of_the_same_model_can_embed(built: Matcher, encoder: ToyEncoder) -> None:
    embedder = ToyEncoder()
    built.update(MORE, embedder=embedder)
    assert (encoder.encoded, len(embedder.encoded)) == ([], 4)


def test_an_encoder_of_another_model_is_refused_with_both_models(built: Matcher) -> None:
    with pytest.raises(ModelError, match=r"model 'toy-2', the vectors are of 'toy-1'.*build the catalog anew"):
        built.update(MORE, embedder=ToyEncoder("toy-2"))


def test_a_degraded_matcher_cannot_be_updated() -> None:
    with pytest.raises(ValueError, match="a degraded matcher has no vectors to update; build"):
        Matcher.degraded(BOOK).update(MORE)


def test_all_labels_cannot_be_removed(built: Matcher) -> None:
    with pytest.raises(PhraseBookError, match="has no labels"):
        built.update(replace(BOOK, labels=()))
    assert built.match("undo").matches[0].name == "Checkpoints"


def test_a_label_is_put_replaced_and_removed_in_place() -> None:
    matcher = Matcher.build(BOOK, ToyEncoder())
    matcher.put(Label("Time Travel", phrasings=("restore the past",)))
    assert (matcher.match("TIME travel").matches[0].name, matcher.size) == ("Time Travel", 4)
    matcher.put(Label("time travel", ("tardis",)))
    assert (matcher.match("tardis").matches[0].name, matcher.size) == ("time travel", 4)
    assert matcher.is_approximate
    assert (matcher.remove("TIME travel"), matcher.remove("nothing of the kind")) == (1, 0)
    assert matcher.book == BOOK


def test_putting_a_label_embeds_its_texts_alone() -> None:
    encoder = ToyEncoder()
    matcher = Matcher.build(BOOK, encoder)
    embedded = len(encoder.encoded)
    matcher.put(Label("Time Travel", phrasings=("restore the past",)))
    assert encoder.encoded[embedded:] == ["Time Travel", "restore the past"]


def test_a_label_with_an_id_takes_the_place_of_the_one_with_that_id() -> None:
    matcher = Matcher.build(PhraseBook((Label("One", id="a"), Label("One", id="b"))), ToyEncoder())
    matcher.put(Label("Rewind", id="b"))
    assert [(label.id, label.name) for label in matcher.book.labels] == [("a", "One"), ("b", "Rewind")]
    assert [label.id for label in matcher.labels("b")] == ["b"]


def test_the_last_label_of_a_matcher_stays() -> None:
    matcher = Matcher.build(PhraseBook((Label("Only"),)), ToyEncoder())
    with pytest.raises(PhraseBookError, match="last label"):
        matcher.remove("only")


def test_a_second_label_of_one_name_is_refused_and_changes_nothing() -> None:
    matcher = Matcher.build(PhraseBook((Label("One", id="a"),)), ToyEncoder())
    with pytest.raises(PhraseBookError):
        matcher.put(Label("one"))
    assert matcher.size == 1


def test_labels_that_come_and_go_never_mix_two_catalogs_in_one_answer() -> None:
    matcher = Matcher.build(BOOK, ToyEncoder())
    done = threading.Event()

    def change() -> None:
        for number in range(20):
            matcher.put(Label(f"label {number}", phrasings=("undo it all",)))
            matcher.remove(f"label {number}")
        done.set()

    thread = threading.Thread(target=change)
    thread.start()
    while not done.is_set():
        assert matcher.match("can it see a picture").matches[0].name == "Vision"
    thread.join()
    assert matcher.book == BOOK


def test_a_vector_file_is_opened_by_its_name(tmp_path: Path) -> None:
    Matcher.build(BOOK, ToyEncoder()).save(tmp_path / "toy.npz")
    matcher = Matcher.open(str(tmp_path / "toy.npz"), ToyEncoder())
    assert isinstance(matcher, Matcher)
    assert matcher.match("rewind").matches[0].name == "Checkpoints"
    with pytest.raises(StoreError, match="has model"):
        Matcher.open(str(tmp_path / "toy.npz"), ToyEncoder("toy-2"))
