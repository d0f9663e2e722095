import json
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from embeddings.errors import VectorFileError
from embeddings.matcher import Matcher
from embeddings.signals import SIGNALS
from tests.toy import BOOK, ToyEncoder

Arrays = dict[str, npt.NDArray[Any]]


@pytest.fixture
def path(tmp_path: Path, matcher: Matcher) -> Path:
    matcher.save(tmp_path / "vectors.npz")
    return tmp_path / "vectors.npz"


def json_array(value: object) -> npt.NDArray[np.uint8]:
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


def header(**changes: object) -> Callable[[Arrays], Arrays]:
    return lambda arrays: {"header": json_array(json.loads(arrays["header"].tobytes()) | changes)}


def rewrite(path: Path, change: Callable[[Arrays], Arrays]) -> None:
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    np.savez_compressed(path, allow_pickle=False, **(arrays | change(arrays)))


def assert_refused(path: Path, why: str = "") -> None:
    with pytest.raises(VectorFileError) as raised:
        Matcher.load(path, ToyEncoder())
    message = str(raised.value)
    assert repr(str(path)) in message
    assert "agent-capabilities build-vectors" in message
    assert why in message


@pytest.mark.parametrize("content", [b"", b"not an archive", pickle.dumps({"vectors": 1})])
def test_a_file_that_is_no_archive_is_refused_and_named(path: Path, content: bytes) -> None:
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


@pytest.mark.parametrize(
    "name", ["header", "book", "vectors", "landmarks", "coefficients", "lexical_keys", "lexical_size"]
)
def test_a_missing_part_is_refused_and_named(path: Path, name: str) -> None:
    with np.load(path, allow_pickle=False) as file:
        arrays = {other: file[other] for other in file.files if other != name}
    np.savez_compressed(path, allow_pickle=False, **arrays)
    assert_refused(path, name.removeprefix("lexical_"))


def test_a_file_with_pickled_objects_is_refused(path: Path) -> None:
    np.savez_compressed(path, allow_pickle=True, header=np.array([{"format": 1}], dtype=object))
    assert_refused(path, "cannot be read")


def test_a_file_of_another_format_is_refused(path: Path) -> None:
    rewrite(path, header(format=999))
    assert_refused(path, "format '999'")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (header(signals=["kernel"]), "signals are this version's"),
        (header(weights=[1.0]), "one weight a signal"),
        (header(lexicalWeights=[1.0]), "one weight a signal"),
        (header(weights=[float("nan")] * len(SIGNALS)), "numbers are finite"),
        (header(weights="abc"), "is damaged"),
        (lambda arrays: {"header": json_array([])}, "is damaged"),
        (lambda arrays: {"header": arrays["header"][:-1]}, "is damaged"),
        (lambda arrays: {"book": arrays["book"][:-1]}, "is damaged"),
        (lambda arrays: {"book": json_array({"labels": []})}, "no labels"),
        (lambda arrays: {"book": json_array(BOOK.to_dict() | {"outOfScope": []})}, "one vector a phrase"),
        (lambda arrays: {"vectors": arrays["vectors"][1:]}, "one vector a phrase"),
        (lambda arrays: {"vectors": arrays["vectors"][:, 0]}, "is damaged"),
        (lambda arrays: {"vectors": arrays["vectors"].astype(np.float32)}, "vectors are in blocks"),
        (lambda arrays: {"scales": arrays["scales"][:, :0]}, "vectors are in blocks"),
        (lambda arrays: {"scales": arrays["scales"] * 2}, "vectors are of unit length"),
        (lambda arrays: {"scales": arrays["scales"] * np.float32(np.nan)}, "vectors are of unit length"),
        (lambda arrays: {"coefficients": arrays["coefficients"][:, 1:]}, "one column a label"),
        (lambda arrays: {"coefficients": arrays["coefficients"] * np.float32(np.nan)}, "numbers are finite"),
        (lambda arrays: {"landmarks": arrays["landmarks"] + 1}, "landmarks are phrases"),
        (lambda arrays: {"landmarks": arrays["landmarks"] - 1}, "landmarks are phrases"),
        (lambda arrays: {"lexical_size": np.array([1])}, "one lexical row a phrase"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(path: Path, change: Callable[[Arrays], Arrays], why: str) -> None:
    rewrite(path, change)
    assert_refused(path, why)
