from dataclasses import replace

import pytest

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from server.enrichment.prompts import MAX_DESCRIPTION, Wording, prompts_for
from tests.toy import BOOK, ToyEncoder


def words(book: PhraseBook, per_label: int = 8) -> list[str]:
    wording = Wording(book, Matcher.build(book, ToyEncoder()))
    return [wording.text(prompt) for prompt in prompts_for(book, per_label)]


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return words(BOOK, 7)


def test_a_labels_prompt_says_what_it_means_and_what_it_does_not(texts: list[str]) -> None:
    cases = [
        "name: Checkpoints\nalso called: rewind, snapshots\ndescription: go back to an earlier state\n",
        "- undo it\n- restore my files\n",
        "easily confused with it:\n- ",
        "- Vision: understands a picture\n",
        "Write 7 queries of users who mean this label, and none of the others.",
        "a JSON list of 7 strings",
    ]
    for part in cases:
        assert part in texts[0], part


def test_the_fields_of_a_label_are_shown() -> None:
    label = replace(BOOK.labels[0], fields={"parameters": ("steps", "keep files")})
    assert "\nparameters: steps, keep files\n" in words(replace(BOOK, labels=(label, *BOOK.labels[1:])))[0]


def test_near_misses_are_asked_for_with_all_labels_of_the_group(texts: list[str]) -> None:
    assert all(f"- {label.name}: {label.description}\n" in texts[-1] for label in BOOK.labels)
    assert "Write 7 queries that none of the labels fits" in texts[-1]


def test_labels_outside_the_group_are_named() -> None:
    book = PhraseBook(tuple(Label(f"label {number}", description="undo") for number in range(12)))
    near = words(book)[-1]
    assert near.count("- label") == 8
    assert "Further labels: label " in near


def test_the_same_catalog_gives_the_same_prompts(texts: list[str]) -> None:
    assert words(BOOK, 7) == texts


def test_a_single_label_has_no_neighbours() -> None:
    (text, _) = words(PhraseBook((Label("Vision"),)))
    assert "confused" not in text
    assert "none of the others" not in text


def test_a_long_description_is_cut() -> None:
    text = words(PhraseBook((Label("Vision", description="picture " * 1000),)))[0]
    assert len(text) < MAX_DESCRIPTION + 1500


def test_braces_in_a_catalog_are_shown_as_they_are() -> None:
    assert "name: {wanted} {0}\n" in words(PhraseBook((Label("{wanted} {0}"),)))[0]
