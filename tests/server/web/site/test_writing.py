import stat
import sys
from pathlib import Path

import pytest

from embeddings.files import write_atomically
from server.errors import CallerError
from server.web.site_folder import LIST, write_site

FIRST = {"index.html": b"1", "capabilities/undo.html": b"2", "style.css": b"3"}
SECOND = {"index.html": b"4", "capabilities/redo.html": b"5", "style.css": b"3"}


def held(folder: Path) -> dict[str, bytes]:
    """Return what a folder holds beside the list."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != LIST]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_a_site_is_written_to_a_new_folder_and_replaces_an_earlier_one(tmp_path: Path) -> None:
    write_site(tmp_path / "a" / "b", FIRST)
    assert held(tmp_path / "a" / "b") == FIRST
    write_site(tmp_path / "a" / "b", SECOND)
    assert held(tmp_path / "a" / "b") == SECOND


def test_a_folder_with_another_file_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(CallerError, match=r"holds 'notes.txt', which no earlier site wrote; .*; give another"):
        write_site(tmp_path, FIRST)
    assert held(tmp_path) == {"notes.txt": b"mine"}


def test_a_file_beside_an_earlier_site_is_refused(tmp_path: Path) -> None:
    write_site(tmp_path, FIRST)
    (tmp_path / "capabilities" / "mine.html").write_text("mine")
    with pytest.raises(CallerError, match=r"holds 'capabilities/mine.html'"):
        write_site(tmp_path, SECOND)


def test_an_index_that_no_site_wrote_is_refused(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine")
    with pytest.raises(CallerError, match=r"holds 'index.html'"):
        write_site(tmp_path, FIRST)


def test_a_list_that_was_not_written_here_is_refused_and_nothing_removed(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    cases = ["", "3", "{}", '{"files": 3}', '{"files": [3]}', '{"files": ["../x.html"]}', '{"files": ["notes.txt"]}']
    for number, content in enumerate(cases):
        around = tmp_path / str(number)
        folder = around / "site"
        folder.mkdir(parents=True)
        (around / "x.html").write_text("mine")
        (folder / "notes.txt").write_text("mine")
        (folder / LIST).write_text(content)
        with subtests.test(content=content):
            with pytest.raises(CallerError, match="does not list a site's files"):
                write_site(folder, FIRST)
            assert held(around) == {"x.html": b"mine", "site/notes.txt": b"mine"}


def test_a_run_that_was_interrupted_can_be_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: Path, content: bytes) -> None:
        if path.name == "style.css":
            raise KeyboardInterrupt
        write_atomically(path, content)

    with monkeypatch.context() as patch:
        patch.setattr("server.web.site_folder.write_atomically", fail)
        with pytest.raises(KeyboardInterrupt):
            write_site(tmp_path, FIRST)
    write_site(tmp_path, SECOND)
    assert held(tmp_path) == SECOND


def test_a_link_to_a_folder_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "site").mkdir()
    try:
        (tmp_path / "site" / "capabilities").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    except OSError:
        pytest.skip("this system lets nobody make links")
    with pytest.raises(CallerError, match="holds 'capabilities'"):
        write_site(tmp_path / "site", FIRST)
    assert held(tmp_path / "elsewhere") == {}


def test_a_file_in_the_folders_place_is_the_callers_mistake(tmp_path: Path) -> None:
    (tmp_path / "site").write_text("mine")
    with pytest.raises(CallerError, match="it must be a writable folder"):
        write_site(tmp_path / "site", FIRST)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_every_file_may_be_read_by_a_web_server(tmp_path: Path) -> None:
    write_site(tmp_path, FIRST)
    for path in (*FIRST, LIST):
        assert stat.S_IMODE((tmp_path / path).stat().st_mode) == 0o644
