from pathlib import Path

import pytest

from benchmarks.open_intents import OpenSet, scores, table

TRAIN = "text\tlabel\nundo it\tundo\nsee it\tsee\nplug it\tplug\nfly\tfly\n"
TEST = 'text\tlabel\nundo that\tundo\n"see\nthat"\tsee\nweather\toos\nplug\tplug\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for part, rows in {"train": TRAIN, "test": TEST}.items():
        (tmp_path / f"{part}.tsv").write_text(rows, encoding="utf-8")
    return tmp_path


def test_what_is_not_drawn_and_what_is_out_of_scope_is_open(folder: Path) -> None:
    drawn = OpenSet.draw(folder, 0.5, seed=0, share=0.5)
    known = [label.name for label in drawn.book.labels]
    wanted = [known.index(name) if name in known else 2 for name in ("undo", "see", "oos", "plug")]
    assert (len(known), list(drawn.right), drawn.book.out_of_scope_share) == (2, wanted, 0.5)
    assert drawn.queries[1] == "see\nthat"
    assert OpenSet.draw(folder, 0.5, seed=0) != OpenSet.draw(folder, 0.5, seed=1)


def test_scores_are_accuracy_and_the_mean_of_the_f1_of_each_intent_and_the_open_one(folder: Path) -> None:
    drawn = OpenSet.draw(folder, 0.5, seed=0)
    assert scores(drawn, drawn.right)[0] == 100
    accuracy, f1, known, unknown = scores(drawn, [2, 2, 2, 2])
    open_ones = list(drawn.right).count(2)
    assert accuracy == 25 * open_ones
    assert unknown == pytest.approx(200 * open_ones / (4 + open_ones))
    assert known == 0
    assert f1 == pytest.approx(unknown / 3)


def test_a_set_that_was_not_measured_has_an_empty_cell() -> None:
    rows = [{"set": "OOS", "known": 0.25, "method": "told", "accuracy": 90.04, "f1": 80.0}]
    assert "| 25% | told |  | 90.0 / 80.0 |  |" in table(rows)
