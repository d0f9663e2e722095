"""Public sets become cases with the examples that are wanted."""

import json
from pathlib import Path

from benchmarks.public_data import ANSWERS, EXAMPLES, hint3, hwu, tools
from server.enrichment.answers import read_answers
from server.enrichment.asking import parse_queries
from tests.benchmarks.sets.test_intents import write, write_bot
from tests.benchmarks.sets.test_tool_lists import alpaca


def test_hwu64_comes_with_none_to_ten_phrases(tmp_path: Path) -> None:
    for part, count in (("train_5", 5), ("train_10", 10), ("test", 1)):
        write(tmp_path / f"Datasets/HWU64/{part}/seq.in", "".join(f"{part} wake me {n}\n" for n in range(count)))
        write(tmp_path / f"Datasets/HWU64/{part}/label", "alarm_set\n" * count)
    assert {case.data: len(case.book.labels[0].phrasings) for case in hwu(tmp_path)} == {
        "hwu64-0": 0,
        "hwu64-3": 3,
        "hwu64-5": 5,
        "hwu64-10": 10,
    }


def test_a_bot_states_the_share_of_queries_that_fit_nothing(tmp_path: Path) -> None:
    write_bot(tmp_path)
    (case,) = hint3(tmp_path)
    assert (case.data, case.book.out_of_scope_share) == ("hint3-shop", 0.3)


def test_tools_come_with_descriptions_alone_and_with_unserved_requests(tmp_path: Path) -> None:
    alpaca(tmp_path, ["boil"])
    clinc = tmp_path / "clinc.json"
    clinc.write_text(json.dumps({"test": [["wake me", "alarm"], ["hi", "greeting"]]}), encoding="utf-8")
    found = list(tools(tmp_path, clinc))
    assert [case.data for case in found] == [f"tools-{count}" for count in EXAMPLES]
    assert all(not label.fields for case in found for label in case.book.labels)
    assert [(query.query, query.gold) for query in found[0].queries] == [
        ("I want something hot", ("boil",)),
        ("wake me", ()),
    ]


def test_every_stored_answer_has_eight_queries() -> None:
    stored = read_answers(ANSWERS)
    assert not stored.unreadable
    assert {len(parse_queries(answer.text)) for answer in stored.answers} == {8}
