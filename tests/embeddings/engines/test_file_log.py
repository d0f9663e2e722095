from pathlib import Path

import pytest

from embeddings.engines import file_log


def test_an_entry_that_was_cut_off_is_not_there_and_is_overwritten(tmp_path: Path) -> None:
    for cut in range(1, 18):
        path = tmp_path / f"log {cut}"
        whole = file_log.append(path, [b"first"])
        file_log.append(path, [b"second"], whole)
        content = path.read_bytes()
        path.write_bytes(content[: max(whole, len(content) - cut)])
        assert [*file_log.entries(path)] == [b"first"], cut
        file_log.append(path, [b"third"])
        assert [*file_log.entries(path)] == [b"first", b"third"], cut


def test_a_log_that_is_not_there_has_no_entries(tmp_path: Path) -> None:
    assert [*file_log.entries(tmp_path / "none")] == []


def test_entries_are_found_again_by_their_places(tmp_path: Path) -> None:
    path = tmp_path / "log"
    file_log.append(path, [b"first", b"", b"third"])
    places = [place for place, _ in file_log.placed(path)]
    assert [*file_log.at(path, places[::-1])] == [b"third", b"", b"first"]


def test_a_place_without_a_whole_entry_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "log"
    file_log.append(path, [b"first", b"second"])
    *_, last = [place for place, _ in file_log.placed(path)]
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match="cut off"):
        next(file_log.at(path, [last]))
