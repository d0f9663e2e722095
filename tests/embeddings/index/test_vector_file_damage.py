import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from embeddings.index.fitted_index import SIGNALS
from embeddings.matcher import Matcher
from tests.embeddings.index.vector_damage import Change, assert_refused, header, json_array, rewrite
from tests.toy import BOOK


@pytest.fixture
def path(tmp_path: Path, matcher: Matcher) -> Path:
    matcher.save(tmp_path / "vectors.npz")
    return tmp_path / "vectors.npz"


def test_a_file_that_is_no_archive_is_refused_and_named(path: Path) -> None:
    intact = path.read_bytes()
    for content in [b"", b"not an archive", pickle.dumps({"vectors": 1})]:
        path.write_bytes(intact)
        path.write_bytes(content)
        assert_refused(path, "cannot be read")


def test_a_changed_byte_in_the_vectors_is_refused(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[content.index(b"vectors.npy") + 60] ^= 0xFF
    path.write_bytes(content)
    assert_refused(path, "cannot be read")


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.npz").mkdir()
    assert_refused(tmp_path / "folder.npz", "cannot be read")


def test_an_archive_of_something_else_is_refused(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", "<xml/>")
    assert_refused(path, "header")


def test_a_missing_part_is_refused_and_named(path: Path) -> None:
    cases = [
        "header",
        "book",
        "background",
        "vectors",
        "landmarks",
        "coefficients",
        "lexical_keys",
        "lexical_size",
        "words_keys",
        "words_size",
    ]
    intact = path.read_bytes()
    for name in cases:
        path.write_bytes(intact)
        with np.load(path, allow_pickle=False) as file:
            arrays = {other: file[other] for other in file.files if other != name}
        np.savez_compressed(path, allow_pickle=False, **arrays)
        assert_refused(path, f"{name}.npy")


def test_a_file_with_pickled_objects_is_refused(path: Path) -> None:
    np.savez_compressed(path, allow_pickle=True, header=np.array([{"format": 1}], dtype=object))
    assert_refused(path, "cannot be read")


def test_a_file_of_another_format_is_refused(path: Path) -> None:
    rewrite(path, header(format=999))
    assert_refused(path, "format '999'")


def test_parts_that_do_not_fit_together_are_refused(path: Path) -> None:
    cases: list[tuple[Change, str]] = [
        (header(signals=["kernel"]), "those of this version"),
        (header(weights=[1.0]), "for each signal"),
        (header(lexicalWeights=[1.0]), "for each signal"),
        (header(weights=[float("nan")] * len(SIGNALS)), "for each signal"),
        (header(weights="abc"), "'weights' is of type list"),
        (lambda arrays: {"header": json_array([])}, "the header is a JSON object"),
        (lambda arrays: {"header": arrays["header"][:-1]}, "JSONDecodeError"),
        (lambda arrays: {"book": arrays["book"][:-1]}, "JSONDecodeError"),
        (lambda arrays: {"book": json_array({"labels": []})}, "no labels"),
        (
            lambda arrays: {"book": json_array(BOOK.to_dict() | {"outOfScope": []})},
            "the stored catalog has the fingerprint",
        ),
        (lambda arrays: {"vectors": arrays["vectors"][1:]}, "one lexical row for each vector"),
        (lambda arrays: {"vectors": arrays["vectors"][:, 0]}, "'vectors' is uint8 with 2 axes, not uint8 with 3"),
        (
            lambda arrays: {"vectors": arrays["vectors"].astype(np.float32)},
            "'vectors' is float32 with 3 axes, not uint8",
        ),
        (lambda arrays: {"scales": arrays["scales"][:, :0]}, "vectors are in blocks"),
        (lambda arrays: {"scales": arrays["scales"] / 2}, "vectors have length 1 or 0"),
        (lambda arrays: {"scales": arrays["scales"] * np.float32(np.nan)}, "scales of vectors"),
        (lambda arrays: {"coefficients": arrays["coefficients"][:, 1:]}, "one coefficient a landmark and label"),
        (lambda arrays: {"coefficients": arrays["coefficients"] * np.float16(np.nan)}, "of use in float32"),
        (lambda arrays: {"landmarks": arrays["landmarks"] + 1}, "landmarks are phrases"),
        (lambda arrays: {"landmarks": arrays["landmarks"] - 1}, "landmarks are phrases"),
        (lambda arrays: {"lexical_size": np.array([1])}, "one lexical row for each vector"),
        (lambda arrays: {"background": arrays["background"][:-1]}, "JSONDecodeError"),
        (lambda arrays: {"background": json_array({"a": "b"})}, "the background is a list of strings"),
        (lambda arrays: {"background": json_array("text")}, "the background is a list of strings"),
        (lambda arrays: {"background": json_array(["a", 1])}, "the background is a list of strings"),
        (lambda arrays: {"background": json_array(["one more"])}, "one vector for each phrase"),
        (lambda arrays: {"words_size": np.array([1])}, "one document of words for each label"),
    ]
    intact = path.read_bytes()
    for change, why in cases:
        path.write_bytes(intact)
        rewrite(path, change)
        assert_refused(path, why)
