import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from embeddings.errors import VectorFileError
from embeddings.index import vector_file
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from embeddings.training.build import build_index
from tests.embeddings.labels.test_phrase_book import BOOKS
from tests.toy import BOOK, ToyEncoder


@pytest.fixture
def path(tmp_path: Path, matcher: Matcher) -> Path:
    matcher.save(tmp_path / "vectors.npz")
    return tmp_path / "vectors.npz"


@settings(deadline=None, max_examples=30)
@given(BOOKS)
def test_a_fitted_index_comes_back_from_its_file(book: PhraseBook) -> None:
    fitted = build_index(book, ToyEncoder())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.npz"
        vector_file.write(path, fitted)
        again = vector_file.read(path, ToyEncoder(), book)
    assert (again.corpus.book, again.corpus.phrases, again.model) == (book, fitted.corpus.phrases, "toy-1")
    for name in ("vectors", "weights", "lexical_weights"):
        np.testing.assert_array_equal(getattr(again, name), getattr(fitted, name))
    np.testing.assert_array_equal(again.head.landmarks, fitted.head.landmarks)
    np.testing.assert_array_equal(again.head.coefficients, fitted.head.coefficients)


def test_a_loaded_matcher_answers_as_the_built_one_does(path: Path, matcher: Matcher) -> None:
    for phrase in ["MCP Support", "rewind", "plug outside", "rewnd the picture", "what is the cost"]:
        loaded, built = Matcher.load(path, ToyEncoder()).match(phrase), matcher.match(phrase)
        assert loaded.to_dict() == built.to_dict(), phrase


def test_the_same_catalog_gives_the_same_bytes(tmp_path: Path, path: Path) -> None:
    Matcher.build(BOOK, ToyEncoder()).save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()


def test_a_loaded_matcher_saves_the_same_bytes(tmp_path: Path, path: Path) -> None:
    Matcher.load(path, ToyEncoder()).save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()


def test_a_file_holds_vectors_in_eight_bits_and_no_objects(path: Path) -> None:
    with np.load(path, allow_pickle=False) as file:
        assert file["vectors"].dtype == np.uint8
        assert all(file[name].dtype.kind in "iuf" for name in file.files)


def test_a_file_is_replaced(path: Path) -> None:
    smaller = replace(BOOK, labels=BOOK.labels[:1])
    Matcher.build(smaller, ToyEncoder()).save(path)
    assert Matcher.load(path, ToyEncoder(), smaller).names == ["Checkpoints"]


def test_a_stale_vector_file_is_refused_and_named(path: Path) -> None:
    with pytest.raises(VectorFileError, match=r"vectors\.npz.* has catalog text ") as raised:
        Matcher.load(path, ToyEncoder(), replace(BOOK, out_of_scope=()))
    assert BOOK.fingerprint[:16] in str(raised.value)
    assert "agent-capabilities build-vectors" in str(raised.value)


def test_a_file_of_its_own_catalog_is_accepted(path: Path) -> None:
    assert Matcher.load(path, ToyEncoder(), BOOK).names == [label.name for label in BOOK.labels]


def test_a_file_of_another_model_is_refused_with_both_models(path: Path) -> None:
    with pytest.raises(VectorFileError, match=r"vectors\.npz.* has model 'toy-1', not 'toy-2'"):
        Matcher.load(path, ToyEncoder("toy-2"))


def test_a_missing_file_is_refused_with_the_way_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(VectorFileError, match=r"absent\.npz.*agent-capabilities build-vectors"):
        Matcher.load(tmp_path / "absent.npz", ToyEncoder())


def test_a_catalog_with_lone_surrogates_is_stored(tmp_path: Path) -> None:
    book = replace(BOOK, out_of_scope=("\ud800 what",))
    Matcher.build(book, ToyEncoder()).save(tmp_path / "vectors.npz")
    Matcher.load(tmp_path / "vectors.npz", ToyEncoder(), book)


def test_a_failing_write_leaves_the_old_file(path: Path, matcher: Matcher, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()

    def refuse(*_: object) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(PermissionError):
        Matcher.build(replace(BOOK, out_of_scope=()), ToyEncoder()).save(path)
    assert path.read_bytes() == before
