from pathlib import Path

import pytest

from server.catalog.folders import DATA_VARIABLE, agents_folder, data_folder
from server.errors import CallerError
from server.paths import shipped_data


def test_the_shipped_data_are_the_default() -> None:
    assert data_folder() == shipped_data()
    assert (shipped_data() / "agents").is_dir()


def test_a_folder_that_holds_agents_is_taken(toy_data: Path) -> None:
    assert data_folder(str(toy_data)) == toy_data


def test_the_agents_folder_stands_for_the_folder_that_holds_it(toy_data: Path) -> None:
    assert data_folder(str(toy_data / "agents")) == toy_data


def test_a_folder_of_agents_by_another_name_is_taken(toy_data: Path) -> None:
    renamed = (toy_data / "agents").rename(toy_data / "assistants")
    assert data_folder(str(renamed)) == renamed
    assert agents_folder(renamed) == renamed


def test_the_environment_names_the_folder(toy_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(toy_data))
    assert data_folder() == toy_data


def test_a_chosen_folder_goes_before_the_environment(toy_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(toy_data / "none"))
    assert data_folder(str(toy_data)) == toy_data


def test_a_folder_without_agents_is_refused_and_named(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, name in enumerate(["none", "empty", "file"]):
        folder = tmp_path / str(number)
        folder.mkdir()
        with subtests.test(name=name):
            (folder / "empty").mkdir()
            (folder / "file").touch()
            with pytest.raises(CallerError) as caught:
                data_folder(str(folder / name))
            assert str(folder / name) in str(caught.value)
            assert DATA_VARIABLE in str(caught.value)
