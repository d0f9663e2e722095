"""Results are stored beside those of other data, and shown with the best value of each column in bold."""

import json
from pathlib import Path

import pytest

from benchmarks import matching_report
from benchmarks.matching_report import readme, tables, write

TOOLS = {"ours": {"top1": [0.8], "overall": [0.7]}, "BM25": {"top1": [0.9]}}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(matching_report, "FOLDER", tmp_path)
    return tmp_path


def test_data_that_were_not_measured_now_are_kept(folder: Path) -> None:
    write({"tools-8": TOOLS, "dev": TOOLS}, "catalog")
    stored = write({"tools-0": TOOLS}, "catalog")
    assert list(stored) == ["dev", "tools-0", "tools-8"]
    assert json.loads((folder / "matching.json").read_text(encoding="utf-8"))["results"] == stored


def test_figures_that_no_matcher_has_are_left_out() -> None:
    assert "MCC" not in tables({"tools-0": TOOLS})


def test_the_best_of_a_column_is_bold() -> None:
    assert "| BM25 | **0.900** |" in readme({"tools-0": TOOLS})


def test_published_figures_have_rows_of_their_own() -> None:
    found = readme({"tools-0": TOOLS, "hint3-curekart": {"rasa (published)": {"overall": [0.6], "mcc": [0.5]}}})
    assert "| rasa (published) |  | **0.600** | **0.500** |" in found


def test_headings_say_how_many_examples() -> None:
    found = tables({"tools-0": TOOLS, "clinc150-1": TOOLS, "hint3-curekart": TOOLS})
    assert "ToolAlpaca's tools, 0 examples a label" in found
    assert "CLINC150, 1 example a label" in found
    assert "HINT3, curekart" in found
