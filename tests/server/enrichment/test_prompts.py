from dataclasses import replace
from typing import Any

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from server.enrichment.prompts import GROUP, key_of, name_in, prompts_for
from tests.toy import BOOK

MANY = PhraseBook(tuple(Label(f"label {number}") for number in range(20)))


def keys(book: PhraseBook) -> list[str]:
    return [prompt.key for prompt in prompts_for(book, 8)]


def with_first(book: PhraseBook, **changes: Any) -> PhraseBook:
    return replace(book, labels=(replace(book.labels[0], **changes), *book.labels[1:]))


def test_each_label_has_a_prompt_and_each_eighth_one_for_near_misses() -> None:
    prompts = prompts_for(MANY, 8)
    assert [prompt.label for prompt in prompts if not prompt.out_of_scope] == list(range(20))
    assert sum(prompt.out_of_scope for prompt in prompts) == -(-20 // GROUP)
    assert len({prompt.id for prompt in prompts}) == len(prompts)


def test_a_label_whose_texts_change_has_another_key() -> None:
    cases: list[dict[str, Any]] = [{"description": "new"}, {"aliases": ("new",)}, {"fields": {"f": ("new",)}}]
    for change in cases:
        before, after = keys(BOOK), keys(with_first(BOOK, **change))
        assert before[0] != after[0], change
        assert before[1:3] == after[1:3], change


def test_phrasings_and_metadata_leave_the_keys_as_they_are() -> None:
    cases: list[dict[str, Any]] = [{"phrasings": ("new",)}, {"metadata": {"a": 1}}]
    for change in cases:
        assert keys(with_first(BOOK, **change)) == keys(BOOK), change


def test_a_label_that_is_added_leaves_the_other_keys_as_they_are() -> None:
    more = replace(MANY, labels=(Label("new"), *MANY.labels))
    lost = set(keys(MANY)) - set(keys(more))
    assert len(lost) <= 1
    assert all(key.startswith("near:") for key in lost)


def test_near_misses_that_were_answered_stay_in_use_when_others_are_chosen() -> None:
    chosen = {prompt.key for prompt in prompts_for(MANY, 8) if prompt.out_of_scope}
    fewer = replace(MANY, labels=MANY.labels[::2])
    kept = {key for key in chosen if name_in(f"{key}/8") in {label.name for label in fewer.labels}}
    assert kept <= {prompt.key for prompt in prompts_for(fewer, 8, chosen)}


def test_the_number_wanted_is_in_the_id_alone() -> None:
    eight, nine = prompts_for(BOOK, 8), prompts_for(BOOK, 9)
    assert [prompt.key for prompt in eight] == [prompt.key for prompt in nine]
    assert not {prompt.id for prompt in eight} & {prompt.id for prompt in nine}


def test_an_id_tells_key_and_name() -> None:
    for name in ["Vision", "a/b#c", "near:by", "/", "#"]:
        for prompt in prompts_for(PhraseBook((Label(name),)), 8):
            assert key_of(prompt.id) == prompt.key, name
            assert name_in(prompt.id) == (name.removeprefix("near:") if not prompt.out_of_scope else name), name


def test_a_label_with_an_id_is_called_by_it() -> None:
    assert prompts_for(PhraseBook((Label("Vision", id="v-1"),)), 8)[0].id.startswith("v-1#")


def test_a_text_that_is_no_id_names_nothing() -> None:
    assert name_in("Vision") == ""
