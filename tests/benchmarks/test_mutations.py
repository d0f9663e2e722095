"""Mutants of source text, and the same change in another checkout."""

from pathlib import Path

import pytest

from benchmarks.mutations import Function, Mutant, apply, counterpart, functions, mutants

SOURCE = '''
def chosen(values: list[int], *, most: int = 3) -> list[int] | None:
    """Return some."""
    if not (values and most > 1):
        values.clear()
    return values[: most - 1]
'''


def written(root: Path, source: str) -> Function:
    (root / "room").mkdir(parents=True)
    (root / "room" / "module.py").write_text(source, encoding="utf-8")
    (found,) = functions(root, ["room"])
    return found


@pytest.fixture
def function(tmp_path: Path) -> Function:
    return written(tmp_path / "new", SOURCE)


def mutant_of(function: Function, operator: str) -> Mutant:
    (found,) = (each for each in mutants(function) if each.operator == operator)
    return found


def test_each_operator_changes_its_part_of_a_line(function: Function) -> None:
    found = {(each.operator, each.after) for each in mutants(function)}

    assert found == {
        ("default", "def chosen(values: list[int], *, most: int = 4) -> list[int] | None:"),
        ("not", "if (values and most > 1):"),
        ("and, or", "if not (values or most > 1):"),
        ("comparison", "if not (values and most >= 1):"),
        ("number", "if not (values and most > 2):"),
        ("call", "pass"),
        ("return", "return None"),
        ("arithmetic", "return values[: most + 1]"),
        ("number", "return values[: most - 2]"),
    }


def test_a_default_stands_for_the_lines_of_the_body(function: Function) -> None:
    assert mutant_of(function, "default").lines == (4, 5, 6)


def test_the_same_change_is_made_where_the_function_moved(function: Function, tmp_path: Path) -> None:
    moved = "# Moved.\n" + SOURCE.replace("def chosen", "def _chosen")
    other = written(tmp_path / "old", moved)
    found = counterpart(mutant_of(function, "call"), function, [other])

    assert found is not None
    assert apply(found, moved) == moved.replace("values.clear()", "pass")


def test_a_line_that_the_other_function_lacks_has_no_counterpart(function: Function, tmp_path: Path) -> None:
    other = written(tmp_path / "old", SOURCE.replace("values.clear()", "values.sort()"))

    assert counterpart(mutant_of(function, "call"), function, [other]) is None
