import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.web.answers.reliability import Bin, bin_value, reliability

ANSWERS = st.lists(st.tuples(st.floats(0, 1), st.booleans()))


def test_answers_of_about_one_confidence_are_one_bar_to_the_last() -> None:
    found = reliability([(0.72, True), (0.1, False), (0.78, False)])
    assert found == [Bin(0.1, 0.2, 0.1, 0.0, 1), Bin(0.7, 0.8, 0.75, 0.5, 2)]
    assert reliability([(1.0, True)]) == [Bin(0.9, 1.0, 1.0, 1.0, 1)]


def test_no_answers_make_no_bars() -> None:
    assert reliability([]) == []


def test_a_bar_as_json_is_rounded() -> None:
    assert bin_value(Bin(0.3, 0.4, 1 / 3, 2 / 3, 3)) == {
        "from": 0.3,
        "to": 0.4,
        "confidence": 0.333,
        "accuracy": 0.667,
        "count": 3,
    }


@given(ANSWERS)
def test_bars_ascend_and_hold_every_answer(answers: list[tuple[float, bool]]) -> None:
    found = reliability(answers)
    assert sum(bar.count for bar in found) == len(answers)
    assert [bar.start for bar in found] == sorted({bar.start for bar in found})
    assert sum(bar.accuracy * bar.count for bar in found) == pytest.approx(sum(right for _, right in answers))
    assert all(bar.start <= bar.confidence + 1e-9 and bar.confidence <= bar.end + 1e-9 for bar in found)
