from embeddings.preflight.finding import Confusion
from server.preflight.heat_map import MOST_LABELS, heat_map


def test_slight_confusions_are_left_out() -> None:
    found = heat_map([Confusion("a", "b", 0.1), Confusion("b", "c", 0.0999)])
    assert found.labels == ("a", "b")
    assert found.cells == {("a", "b"): 0.1}


def test_labels_that_are_confused_stand_side_by_side() -> None:
    pairs = [("a", "b"), ("x", "y"), ("b", "c"), ("y", "z")]
    assert heat_map([Confusion(*pair, 0.5) for pair in pairs]).labels == ("a", "b", "c", "x", "y", "z")


def test_the_most_confused_labels_are_kept_and_the_others_counted() -> None:
    found = heat_map([Confusion(f"a{number}", f"b{number}", 0.9 - number / 100) for number in range(40)])
    assert len(found.labels) == MOST_LABELS
    assert found.left_out == 20
    assert {"a0", "b29"} <= {*found.labels}
    assert "a30" not in found.labels
    assert all({label, other} <= {*found.labels} for label, other in found.cells)


def test_nothing_confused_gives_an_empty_map() -> None:
    assert heat_map([]).labels == ()
