from pathlib import Path

from embeddings.text.normalization import fold
from tests.data.shipped import NAMES, read

VOCABULARY = (Path(__file__).parent / "vocabulary.txt").read_text(encoding="utf-8").splitlines()


def test_names_and_categories_are_the_vocabulary_in_its_order() -> None:
    capabilities = read("capabilities.json")["capabilities"]
    assert [f"{capability['name']}: {capability['category']}" for capability in capabilities] == VOCABULARY


def test_every_capability_is_defined() -> None:
    assert [item["name"] for item in read("capabilities.json")["capabilities"] if not item.get("definition")] == []


def test_no_two_names_fold_alike() -> None:
    assert len({fold(name) for name in NAMES}) == len(NAMES)
