from server.errors import brief, nearest, unknown


def test_a_short_value_is_shown_whole() -> None:
    assert brief("a\nb") == "'a\\nb'"


def test_a_long_value_is_cut_and_its_length_told() -> None:
    assert brief("x" * 1000) == "'" + "x" * 159 + "... (1002 characters)"


def test_the_nearest_values_come_best_first() -> None:
    assert nearest("SECURTY", ["testing", "security", "performance"], 2)[0] == "security"


def test_nothing_is_near_when_nothing_is_known() -> None:
    assert nearest("x", []) == []


def test_an_unknown_value_is_told_with_the_known_ones_and_the_next_step() -> None:
    assert str(unknown("fruit", "aple", ["pear", "apple"], "Pick one.")) == (
        "unknown fruit 'aple'; known: pear, apple; did you mean 'apple'? Pick one."
    )
