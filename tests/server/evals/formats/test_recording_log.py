from collections.abc import Callable
from pathlib import Path

import pytest

from server.errors import CallerError
from server.evals.recording import Recording
from tests.server.evals.running import Watch, run_into

pytestmark = [pytest.mark.anyio]

INPUTS = ["first", "second", "third"]


async def echo(text: str) -> Recording:
    return Recording(input=text)


def beneath_a_file(folder: Path) -> Path:
    (folder / "file").write_text("", encoding="utf-8")
    return folder / "file" / "out.jsonl"


def folder_itself(folder: Path) -> Path:
    return folder


async def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    cases: list[Callable[[Path], Path]] = [beneath_a_file, folder_itself]
    for place in cases:
        with pytest.raises(CallerError) as caught:
            await run_into(place(tmp_path), INPUTS, echo)
        problem, rule, step = str(caught.value).split("; ")
        assert str(tmp_path) in problem, place
        assert "recordings are kept there" in rule, place
        assert "another path" in step, place


async def test_missing_folders_are_made(tmp_path: Path) -> None:
    out = tmp_path / "one" / "two" / "out.jsonl"
    await run_into(out, INPUTS, echo)
    assert len(out.read_text(encoding="utf-8").splitlines()) == len(INPUTS)


async def test_a_file_that_holds_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    for content in ["my notes\n", "my notes"]:
        out = tmp_path / "notes.txt"
        out.write_text(content, encoding="utf-8")
        with pytest.raises(CallerError, match=r"notes\.txt, line 1"):
            await run_into(out, INPUTS, echo)
        assert out.read_text(encoding="utf-8") == content, content


async def test_each_recording_is_on_disk_as_soon_as_it_is_done(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    counts: list[int] = []

    def look(done: int, total: int) -> None:
        counts.append(len(out.read_text(encoding="utf-8").splitlines()))

    await run_into(out, INPUTS, echo, progress=Watch(look))
    assert counts == [1, 2, 3]


async def test_progress_counts_what_was_done_before(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    await run_into(tmp_path / "out.jsonl", INPUTS[:2], echo)
    await run_into(tmp_path / "out.jsonl", INPUTS, echo, progress=Watch(lambda done, total: told.append((done, total))))
    assert told == [(3, 3)]


async def test_a_fault_while_keeping_is_raised_as_itself(tmp_path: Path) -> None:
    def full(done: int, total: int) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        await run_into(tmp_path / "out.jsonl", INPUTS, echo, progress=Watch(full))
