import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.enrichment.asking import MAX_CHARACTERS, parse_queries

QUERIES = ["go back please", 'say "cheese"', "naïve [café]"]
LIST = json.dumps(QUERIES)


def test_queries_are_read_in_any_usual_form() -> None:
    cases = [
        LIST,
        json.dumps(QUERIES, ensure_ascii=False, indent=2),
        f"```json\n{LIST}\n```",
        f"Here are [3] queries, as wanted:\n\n{LIST}\n\nShall I write more?",
        json.dumps({"queries": QUERIES}),
        json.dumps({"label": "x", "wrong": ["one"], "examples": QUERIES}),
        json.dumps([{"query": query, "style": "short"} for query in QUERIES]),
        f'<think>Not ["this", "one", "at", "all"].</think>\n{LIST}',
        LIST[:-1],
        LIST[:-1] + ', "cut o',
        "\n".join(f"- {query}" for query in QUERIES),
        "Sure!\n" + "\n".join(f"{number}. {query}" for number, query in enumerate(QUERIES, start=1)),
        "\n".join(f'* "{query}"' for query in QUERIES),
    ]
    for reply in cases:
        assert parse_queries(reply) == QUERIES, reply


def test_a_reply_without_a_list_has_no_queries() -> None:
    for reply in [
        "",
        "I'm sorry, but I can't help with that.",
        "[]",
        "{}",
        "[1, 2, null]",
        "[[[",
        '{"queries": "x"}',
        "null",
    ]:
        assert parse_queries(reply) == [], reply


def test_items_that_are_no_strings_are_left_out() -> None:
    assert parse_queries('["a", 1, null, ["b"], {"other": "c"}, {"text": 2}, "d"]') == ["a", "d"]


@given(
    st.one_of(
        st.text(),
        st.text(alphabet='[]{}",:\\ab\n-1. `'),
        st.recursive(st.none() | st.text() | st.integers(), st.lists, max_leaves=9).map(json.dumps),
    )
)
def test_any_reply_gives_a_list_of_strings(reply: str) -> None:
    assert all(isinstance(query, str) for query in parse_queries(reply))


@given(st.lists(st.text(), min_size=1))
def test_a_json_list_is_read_as_it_was_written(queries: list[str]) -> None:
    assert parse_queries(json.dumps(queries)) == queries


@pytest.mark.timeout(10)
def test_a_long_reply_is_read_quickly() -> None:
    for part in ["[", "{", '["', '["a",', "[[],", '{"a":', "- ", '"\\', "</think>"]:
        assert all(isinstance(query, str) for query in parse_queries(part * MAX_CHARACTERS)), part
