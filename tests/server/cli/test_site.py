from pathlib import Path

from tests.server.cli.commands import Commands
from tests.toy import write_data


def test_the_pages_of_a_data_folder_are_written(run: Commands, tmp_path: Path) -> None:
    data, out = write_data(tmp_path / "data"), tmp_path / "site"
    assert run("site", "--out", str(out), "--data", str(data)) == 0
    assert run.out.startswith(f"{out / 'index.html'}: 19 files, ")
    assert "Gemini CLI" in (out / "index.html").read_text(encoding="utf-8")


def test_a_folder_with_other_files_is_the_callers_mistake(run: Commands, tmp_path: Path) -> None:
    data = write_data(tmp_path / "data")
    assert run("site", "--out", str(data), "--data", str(data)) == 2
    assert "a site needs a folder of its own" in run.err


def test_a_folder_must_be_named(run: Commands) -> None:
    assert run("site") == 2
    assert "--out" in run.err
