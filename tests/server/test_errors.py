from server.errors import Parts, brief, nearest, unknown


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


def test_a_message_is_told_apart_into_value_rule_and_next_step() -> None:
    cases: list[tuple[str, Parts]] = [
        ("bad 'x'; it must be y; fix it", Parts("bad 'x'", "it must be y", "fix it")),
        ("bad 'x'; nearest: y; known: y, z; fix it", Parts("bad 'x'", "nearest: y; known: y, z", "fix it")),
        ("bad 'x; y; z'; rule; step", Parts("bad 'x; y; z'", "rule", "step")),
        ("""bad "it's; so"; rule; step""", Parts("""bad "it's; so\"""", "rule", "step")),
        (r"""bad 'it\'s; "so"'; rule; step""", Parts(r"""bad 'it\'s; "so"'""", "rule", "step")),
        ("the agents' file; the page's rule; step", Parts("the agents' file", "the page's rule", "step")),
    ]
    for message, parts in cases:
        assert Parts.of(message) == parts, (message, parts)
        assert str(parts) == message, (message, parts)


def test_a_long_value_that_was_cut_is_one_part() -> None:
    value = brief("a; b; " * 100)
    assert Parts.of(f"bad {value}; the user's rule; step") == Parts(f"bad {value}", "the user's rule", "step")


def test_an_error_of_another_origin_gets_a_rule_and_a_next_step() -> None:
    parts = Parts.of(OSError("disk full"))
    assert parts.value == "disk full"
    assert parts.rule
    assert parts.next_step
