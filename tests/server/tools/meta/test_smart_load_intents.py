"""`smart_load` on intents that stand in no build data, with the shipped model and vectors."""

import pytest

from benchmarks.intents import FILES, Placed, measure

pytestmark = pytest.mark.measures

MIN_SHARE = 0.9


@pytest.fixture(scope="module")
def placed() -> dict[str, Placed]:
    return measure()


def test_the_right_family_is_taken_for_nine_of_ten_intents(
    placed: dict[str, Placed], subtests: pytest.Subtests
) -> None:
    for name in [path.stem for path in FILES]:
        with subtests.test(name=name):
            assert placed[name].fitting >= 60
            assert placed[name].right >= MIN_SHARE * placed[name].fitting, placed[name].misses


def test_nothing_is_loaded_for_nine_of_ten_intents_that_fit_nothing(
    placed: dict[str, Placed], subtests: pytest.Subtests
) -> None:
    for name in [path.stem for path in FILES]:
        with subtests.test(name=name):
            assert placed[name].unfitting >= 40
            assert placed[name].refused >= MIN_SHARE * placed[name].unfitting, placed[name].misses
