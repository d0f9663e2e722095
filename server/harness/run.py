"""A run over many prompts: several at a time, each kept as soon as it is done, so that a run can be taken up again."""

import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

import anyio

from embeddings.files import write_atomically
from server.errors import CallerError, brief
from server.harness.recording import Recording, parse_recordings

_BEGINNING: Final = '{"input": '
"""What every line begins with."""

Answer = Callable[[str], Awaitable[Recording]]
Progress = Callable[[int, int, Recording], None]


async def run(
    inputs: Sequence[str],
    answer: Answer,
    at_once: int,
    out: Path | None = None,
    progress: Progress | None = None,
    model: str | None = None,
) -> list[Recording]:
    """Record every prompt.

    Args:
        inputs: the prompts.
        answer: records one.
        at_once: prompts under way at the same time.
        out: JSON lines, one a prompt. What it holds already is not asked again, but for what failed; what it holds of
            other prompts stays.
        progress: told how many of how many are done, and what came last.
        model: who answers; a file with recordings of another is refused.

    Returns:
        Recordings in the order of `inputs`.

    Raises:
        CallerError: `out` cannot be read as recordings, or cannot be written.
    """
    done = {each.input: each for each in _kept(out, model)}
    waiting = [text for text in inputs if text not in done]
    under_way = len(inputs) - len(waiting)
    limit = anyio.CapacityLimiter(at_once)
    with _opened(out, done.values()) as file:

        async def record(text: str) -> None:
            async with limit:
                recording = await answer(text)
            done[text] = recording
            if file:
                file.write(recording.to_line() + "\n")
                file.flush()
            nonlocal under_way
            under_way += 1
            if progress:
                progress(under_way, len(inputs), recording)

        try:
            async with anyio.create_task_group() as group:
                for text in waiting:
                    group.start_soon(record, text)
        except BaseExceptionGroup as errors:
            raise first_error(errors) from None
    return [done[text] for text in inputs]


def first_error(error: BaseException) -> BaseException:
    """What went wrong first inside groups of errors, which is what can be mended."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _kept(out: Path | None, model: str | None) -> list[Recording]:
    """What an earlier run left, without what failed, and without the half line that a run leaves when it is cut off."""
    if out is None or not out.exists():
        return []
    try:
        *lines, last = out.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise CallerError(
            f"{brief(str(out))} cannot be read ({error.strerror}); recordings are kept there; give another path"
        ) from error
    if last and not last.startswith(_BEGINNING[: len(last)]):
        raise CallerError(
            f"{out}, line {len(lines) + 1} is {brief(last)}; recordings are kept there; give another path"
        )
    kept = list(parse_recordings(lines, str(out)))
    others = sorted({each.model for each in kept if each.model and each.model != model})
    if model and others:
        raise CallerError(
            f"{brief(str(out))} holds recordings of {', '.join(others)}, not of {model}; a file is of one model; "
            "give another path"
        )
    return [recording for recording in kept if recording.ending != "failed"]


@contextmanager
def _opened(out: Path | None, kept: Iterable[Recording]) -> Iterator[TextIO | None]:
    """The file of recordings, holding what is kept and open for more; None where there is no file."""
    if out is None:
        yield None
        return
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(out, "".join(recording.to_line() + "\n" for recording in kept).encode())
        file = out.open("a", encoding="utf-8", newline="\n")
    except OSError as error:
        raise CallerError(
            f"{brief(str(out))} cannot be written ({error.strerror}); recordings are kept there; give another path"
        ) from error
    with file:
        yield file


def show_progress(done: int, total: int, last: Recording) -> None:
    """A line on standard error."""
    print(f"{done}/{total} {last.ending}: {brief(last.input)}", file=sys.stderr)
