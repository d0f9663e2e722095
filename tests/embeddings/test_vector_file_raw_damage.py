import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from embeddings.errors import VectorFileError
from embeddings.matcher import Matcher
from embeddings.phrase_book import Label, PhraseBook
from embeddings.signals import SIGNALS
from tests.toy import BOOK, ToyEncoder

Arrays = dict[str, npt.NDArray[Any]]


@pytest.fixture
def path(tmp_path: Path, matcher: Matcher) -> Path:
    matcher.save(tmp_path / "vectors.npz")
    return tmp_path / "vectors.npz"


def assert_refused(path: Path) -> None:
    with pytest.raises(VectorFileError) as raised:
        Matcher.load(path, ToyEncoder())
    assert repr(str(path)) in str(raised.value)


@pytest.mark.parametrize("share", [0.01, 0.25, 0.5, 0.9, 0.99])
def test_a_truncated_file_is_refused_and_named(path: Path, share: float) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    assert_refused(path)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(0, 1, exclude_max=True), st.integers(0, 7))
@example(0.88, 6)
def test_one_wrong_bit_is_refused_or_changes_nothing(
    path: Path, tmp_path: Path, matcher: Matcher, at: float, bit: int
) -> None:
    content = bytearray(path.read_bytes())
    content[int(len(content) * at)] ^= 1 << bit
    damaged = tmp_path / "damaged.npz"
    damaged.write_bytes(content)
    try:
        loaded = Matcher.load(damaged, ToyEncoder())
    except VectorFileError:
        return
    assert loaded.match("undo the picture").to_dict() == matcher.match("undo the picture").to_dict()


@pytest.mark.parametrize(
    ("mark", "offset", "bit"), [(b"PK\x01\x02", 6, 6), (b"PK\x01\x02", 8, 0), (b"PK\x01\x02", 10, 4)]
)
def test_an_archive_that_asks_for_what_no_reader_knows_is_refused(
    path: Path, mark: bytes, offset: int, bit: int
) -> None:
    content = bytearray(path.read_bytes())
    content[content.index(mark) + offset] ^= 1 << bit
    path.write_bytes(content)
    assert_refused(path)


def test_a_single_array_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "vectors.npy", np.ones(3))
    assert_refused(tmp_path / "vectors.npy")


def test_an_archive_member_that_is_no_array_is_refused(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header", "abc")
    assert_refused(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays: {"lexical_weights": arrays["lexical_weights"][:-1]},
        lambda arrays: {"lexical_weights": arrays["lexical_weights"] * np.float16(np.nan)},
        lambda arrays: {"lexical_rows": arrays["lexical_rows"] + 200},
        lambda arrays: {"lexical_starts": arrays["lexical_starts"][:-1]},
        lambda arrays: {"lexical_rarity": arrays["lexical_rarity"] * np.float32(np.nan)},
        lambda arrays: {"lexical_keys": arrays["lexical_keys"][::-1]},
        lambda arrays: {"vectors": np.ones((len(arrays["vectors"]), 1), dtype=np.float16)},
        lambda arrays: {
            "header": np.frombuffer(
                json.dumps(
                    json.loads(arrays["header"].tobytes()) | {"lexicalWeights": [float("nan")] * len(SIGNALS)}
                ).encode(),
                dtype=np.uint8,
            )
        },
    ],
)
def test_parts_that_do_not_fit_together_are_refused(path: Path, change: Callable[[Arrays], Arrays]) -> None:
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    np.savez_compressed(path, allow_pickle=False, **(arrays | change(arrays)))
    assert_refused(path)


def test_a_book_with_blank_texts_is_stored(tmp_path: Path) -> None:
    Matcher.build(PhraseBook((Label("A", ("", "x")),)), ToyEncoder()).save(tmp_path / "vectors.npz")
    assert Matcher.load(tmp_path / "vectors.npz", ToyEncoder()).names == ["A"]


def test_a_loaded_matcher_has_the_very_confidences_of_the_built_one(path: Path, matcher: Matcher) -> None:
    assert Matcher.load(path, ToyEncoder(), BOOK).match("restore the pictures") == matcher.match("restore the pictures")
