"""The shipped model that is tuned on requests for tools: how it is loaded, and what it is for."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from embeddings.encoder.encoder import Encoder
from embeddings.encoder.model_files import official_model_folder, tuned_model_folder
from embeddings.errors import ModelError
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from server.matching.label_service import open_labels
from server.matching.service import open_service
from server.paths import shipped_data
from tests.toy import BOOK


@pytest.fixture(scope="module")
def tuned() -> Encoder:
    return Encoder.load()


def test_it_is_the_default_and_another_model_than_the_official_one(tuned: Encoder, shipped_encoder: Encoder) -> None:
    assert tuned.fingerprint == Encoder.load(tuned_model_folder()).fingerprint
    assert tuned.fingerprint.startswith(shipped_encoder.fingerprint)
    assert tuned.fingerprint != shipped_encoder.fingerprint


def test_texts_that_are_no_requests_for_tools_stay_near_their_official_vectors(
    tuned: Encoder, shipped_encoder: Encoder
) -> None:
    texts = ["undo what it did", "run it in a sandbox", "which plan do I need", "works without the internet"]
    cosines = (tuned.encode(texts) * shipped_encoder.encode(texts)).sum(axis=1)
    assert (cosines > 0.95).all()
    assert (cosines < 0.9999).all()


def test_vectors_are_the_same_each_time_and_of_unit_length(tuned: Encoder) -> None:
    texts = ["how long is the drive to York", "remember that Anna prefers tea"]
    found = tuned.encode(texts)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(found, Encoder.load().encode(texts))


def test_vectors_of_one_model_are_refused_with_the_other(
    tuned: Encoder, shipped_encoder: Encoder, tmp_path: Path
) -> None:
    Matcher.build(BOOK, tuned).save(tmp_path / "v.npz")
    with pytest.raises(Exception, match="has model"):
        Matcher.load(tmp_path / "v.npz", shipped_encoder)


def test_agents_are_matched_with_the_official_model_and_other_catalogs_with_the_tuned_one(
    tuned: Encoder, shipped_encoder: Encoder, tmp_path: Path
) -> None:
    assert open_service(shipped_data()).loader(1).fingerprint == shipped_encoder.fingerprint
    (tmp_path / "c.json").write_text('{"labels": [{"name": "A"}]}', encoding="utf-8")
    assert open_labels(tmp_path / "c.json").loader(1).fingerprint == tuned.fingerprint


def test_damaged_tensors_are_named(tmp_path: Path) -> None:
    shutil.copytree(official_model_folder(), tmp_path / official_model_folder().name)
    folder = Path(shutil.copytree(tuned_model_folder(), tmp_path / "tuned"))
    (folder / "tensors.npz").write_bytes(b"PK")
    with pytest.raises(ModelError, match=r"tensors\.npz.* has sha256"):
        Encoder.load(folder)
    (folder / "tensors.npz").unlink()
    with pytest.raises(ModelError, match=r"tensors\.npz.* is missing"):
        Encoder.load(folder)


def test_a_request_is_nearer_to_the_tool_that_serves_it(tuned: Encoder, shipped_encoder: Encoder) -> None:
    book = PhraseBook.from_dict(
        {
            "labels": [
                {"name": "get_directions", "description": "Route between two places, with distance and duration."},
                {"name": "convert_currency", "description": "Converts an amount of money to another currency."},
                {"name": "list_events", "description": "Events of a calendar between two times."},
            ]
        }
    )
    found = Matcher.build(book, tuned).match("how far do I have to drive from Leeds to York")
    assert found.matches[0].name == "get_directions"
    assert found.decision != "no_match"
