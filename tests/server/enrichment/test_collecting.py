import json
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from server.enrichment.answers import Answer
from server.enrichment.collecting import Collected, collect, enriched
from server.enrichment.prompts import prompts_for
from tests.toy import BOOK

PROMPTS = prompts_for(BOOK, 3)
CHECKPOINTS, _, _, NEAR = [prompt.id for prompt in PROMPTS]
QUERIES = ["take me to yesterday", "i broke everything", "where did my old version go"]


def collected(*answers: tuple[str, str | Sequence[str]]) -> list[Collected]:
    texts = [Answer(to, text if isinstance(text, str) else json.dumps(text)) for to, text in answers]
    return collect(BOOK, PROMPTS, texts)


def test_queries_of_an_answer_are_for_its_label() -> None:
    found = collected((CHECKPOINTS, QUERIES))
    assert [each.queries for each in found] == [QUERIES, [], [], []]
    assert [each.missing for each in found] == [False, True, True, True]


def test_no_more_queries_than_wanted_are_kept() -> None:
    (found, *_) = collected((CHECKPOINTS, [*QUERIES, "one too many"]))
    assert (found.queries, found.dropped) == (QUERIES, {"surplus": 1})


def test_copies_of_the_catalog_and_of_each_other_are_dropped() -> None:
    (found, *_) = collected((CHECKPOINTS, ["Undo it!", "go back to an earlier state", "snapshots", QUERIES[0]] * 2))
    assert found.queries == QUERIES[:1]
    assert found.dropped == {"near_copy": 5, "name": 2}


def test_a_query_of_two_labels_stays_with_both() -> None:
    found = collected((CHECKPOINTS, QUERIES[:1]), (PROMPTS[1].id, QUERIES[:1]))
    assert [each.queries for each in found[:2]] == [QUERIES[:1], QUERIES[:1]]


def test_a_near_miss_that_a_label_has_is_dropped() -> None:
    found = collected(
        (NEAR, [QUERIES[0], "image input", "how much does it cost", "how old are you"]), (CHECKPOINTS, QUERIES)
    )
    assert found[-1].queries == ["how old are you"]
    assert found[-1].dropped == {"near_copy": 3}


def test_a_refusal_leaves_the_prompt_missing() -> None:
    (found, *_) = collected((CHECKPOINTS, "I'm sorry, but I can't help with that."))
    assert (found.missing, found.without_queries, found.dropped) == (True, 1, {"refusal": 1})


def test_an_answer_without_json_leaves_the_prompt_missing() -> None:
    (found, *_) = collected((CHECKPOINTS, "Certainly. Which style do you prefer?"))
    assert (found.missing, found.without_queries, +found.dropped) == (True, 1, {})


def test_a_later_answer_makes_up_for_an_unusable_one() -> None:
    (found, *_) = collected((CHECKPOINTS, "?"), (CHECKPOINTS, QUERIES))
    assert (found.missing, found.queries) == (False, QUERIES)


def test_the_same_answer_in_two_files_counts_once() -> None:
    (found, *_) = collected((CHECKPOINTS, QUERIES[:1]), (CHECKPOINTS, QUERIES[:1]))
    assert (found.queries, +found.dropped) == (QUERIES[:1], {})


def test_answers_to_another_number_of_queries_are_used_and_the_rest_is_missing() -> None:
    other = CHECKPOINTS.removesuffix("3") + "2"
    (found, *_) = collected((other, QUERIES[:2]))
    assert (found.queries, found.missing) == (QUERIES[:2], True)
    (found, *_) = collected((other, QUERIES))
    assert (found.queries, found.missing) == (QUERIES, False)


def test_a_prompt_that_was_answered_with_too_few_is_not_asked_again() -> None:
    (found, *_) = collected((CHECKPOINTS, QUERIES[:1]))
    assert not found.missing


def test_the_enriched_catalog_marks_what_was_generated() -> None:
    found = enriched(BOOK, collected((CHECKPOINTS, QUERIES), (NEAR, ["how old are you"])))
    assert found.labels[0].phrasings == (*BOOK.labels[0].phrasings, *QUERIES)
    assert found.labels[0].generated == set(QUERIES)
    assert found.labels[1:] == BOOK.labels[1:]
    assert found.out_of_scope == (*BOOK.out_of_scope, "how old are you")
    assert found.to_dict()["labels"][0]["phrasings"][1:3] == [
        "restore my files",
        {"text": QUERIES[0], "origin": "generated"},
    ]


@given(
    st.lists(
        st.tuples(
            st.sampled_from([prompt.id for prompt in PROMPTS]) | st.text(),
            st.text() | st.lists(st.text(st.characters(), max_size=20)).map(json.dumps),
        )
    )
)
def test_any_answers_give_a_catalog_that_can_be_written_and_read(answers: list[tuple[str, str]]) -> None:
    found = enriched(BOOK, collected(*answers))
    assert PhraseBook.from_dict(json.loads(json.dumps(found.to_dict()).encode())) == found


def test_what_else_a_label_has_stays() -> None:
    label = Label(
        "A", fields={"f": ("x",)}, id="a", metadata={"m": 1}, phrasings=("b c",), generated=frozenset({"b c"})
    )
    book = PhraseBook((label,), out_of_scope_share=0.5)
    prompts = prompts_for(book, 3)
    found = enriched(book, collect(book, prompts, [Answer(prompts[0].id, json.dumps(QUERIES[:1]))]))
    assert found.labels[0].generated == {"b c", QUERIES[0]}
    assert (found.labels[0].fields, found.labels[0].id, found.labels[0].metadata) == (label.fields, "a", {"m": 1})
    assert found.out_of_scope_share == 0.5
