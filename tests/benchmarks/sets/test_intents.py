"""Sets of intents are read with their examples, and the published figures with the best threshold."""

import json
from pathlib import Path

from benchmarks.sets.intents import clinc, clinc_outside, hint3, hint3_bots, hint3_published, hwu


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_clinc(root: Path) -> None:
    train = [["wake me", "set_alarm"], ["alarm at six", "set_alarm"], ["hi", "greet"]]
    content = {"train": train, "val": [["get me up", "set_alarm"]], "oos_val": [["why is the sky blue", "oos"]]}
    write(root / "data/data_full.json", json.dumps(content))


def test_intents_of_clinc_are_spoken_names_with_training_phrases(tmp_path: Path) -> None:
    write_clinc(tmp_path)
    read = clinc(tmp_path)
    assert {label.name: set(label.phrasings) for label in read.labels} == {
        "set alarm": {"wake me", "alarm at six"},
        "greet": {"hi"},
    }
    assert [(query.query, query.gold) for query in read.queries] == [("get me up", ("set alarm",))]
    assert clinc_outside(tmp_path, "oos_val") == ["why is the sky blue"]


def test_fewer_phrasings_can_be_shown(tmp_path: Path) -> None:
    write_clinc(tmp_path)
    assert [len(label.phrasings) for label in clinc(tmp_path).with_phrasings(1).labels] == [1, 1]


def test_texts_and_intents_of_hwu64_stand_in_two_files(tmp_path: Path) -> None:
    for part, text in (("train_5", "wake me"), ("test", "get me up")):
        write(tmp_path / f"Datasets/HWU64/{part}/seq.in", f"{text}\n")
        write(tmp_path / f"Datasets/HWU64/{part}/label", "alarm_set\n")
    read = hwu(tmp_path, 5, "test")
    assert [(label.name, label.phrasings) for label in read.labels] == [("alarm set", ("wake me",))]
    assert [(query.query, query.gold) for query in read.queries] == [("get me up", ("alarm set",))]


def write_bot(root: Path) -> None:
    write(root / "dataset/v1/train/shop_train.csv", "sentence,label\nwhere is it,ORDER_STATUS\n")
    rows = "track it,ORDER_STATUS\ntrack it,ORDER_STATUS\nok thanks,NO_NODES_DETECTED\n"
    write(root / "dataset/v1/test/shop_test.csv", f"sentence,label\n{rows}")
    write(root / "results/rasa_shop.csv", "Threshold,Accuracy,MCC\n0.1,0.5,0.3\n0.6,0.7,0.4\n0.9,0.8,0.2\n")
    write(root / "results/rasa_shop_subset.csv", "Threshold,Accuracy,MCC\n0.1,0.9,0.9\n")


def test_every_query_of_a_bot_counts_as_published(tmp_path: Path) -> None:
    write_bot(tmp_path)
    assert [query.gold for query in hint3(tmp_path, "shop").queries] == [("order status",), ("order status",), ()]


def test_bots_are_those_that_are_there(tmp_path: Path) -> None:
    write_bot(tmp_path)
    assert hint3_bots(tmp_path) == ["shop"]


def test_published_figures_are_those_of_the_best_threshold(tmp_path: Path) -> None:
    write_bot(tmp_path)
    assert hint3_published(tmp_path, "shop") == {"rasa": {"overall": 0.7, "mcc": 0.4}}
