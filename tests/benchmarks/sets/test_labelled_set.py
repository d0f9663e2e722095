"""Labels and queries are tidied as they are collected."""

from benchmarks.sets.labelled_set import LONGEST, SetBuilder


def test_names_that_fold_alike_are_one_label() -> None:
    collected = SetBuilder("made up")
    assert collected.label("get_user", "first") == collected.label("Get-User", "second") == "get_user"
    assert [label.description for label in collected.build().labels] == ["first"]


def test_repeated_long_and_unknown_queries_are_left_out() -> None:
    collected = SetBuilder("made up")
    collected.label("boil")
    for text, name in (("hot  water", "boil"), ("Hot water", "boil"), ("x" * (LONGEST + 1), "boil"), ("tea", "brew")):
        collected.query(text, [name])
    assert [query.query for query in collected.build().queries] == ["hot water"]


def test_a_query_without_labels_is_out_of_scope() -> None:
    collected = SetBuilder("made up")
    collected.query("nobody does this", [])
    assert [(query.gold, query.stratum) for query in collected.build().queries] == [((), "out")]
