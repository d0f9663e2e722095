"""Progress on stderr: bars on a terminal, and for long work lines where there is no terminal."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Never

if TYPE_CHECKING:
    from tqdm import tqdm

SECONDS_TO_A_LINE: Final = 30.0

Show = Callable[[str, int, int, int], None]
"""Called with a stage of the work, how many are done, out of how many, and how many of those done were skipped."""


@contextmanager
def embedding_progress() -> Iterator[Callable[[int, int], None]]:
    """Yield a callback that shows how many texts are embedded, out of how many."""
    with staged_progress("texts") as show:
        yield lambda done, total: show("embedding", done, total, 0)


@contextmanager
def growing_progress(what: str, unit: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a callback that shows how many are done, out of how many as far as is known; the bar is shown at once."""
    # Imported here because every start of the command imports this module.
    from tqdm import tqdm

    with tqdm(desc=what, unit=f" {unit}", disable=None) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show


@contextmanager
def counting_progress(what: str, unit: str, total: int) -> Iterator[Callable[[], object]]:
    """Yield a callback that shows that one more of `total` is done."""
    from tqdm import tqdm

    with tqdm(desc=what, total=total, unit=f" {unit}", disable=None) as bar:
        yield bar.update


@contextmanager
def staged_progress(unit: str) -> Iterator[Show]:
    """Yield a callback that shows how far a stage of long work is, with the rate of what was not skipped.

    It draws a bar for each stage on a terminal, and otherwise prints a line now and then.
    """
    if not sys.stderr.isatty():
        yield _Lines(unit).show
        return
    bars = _Bars(unit)
    try:
        yield bars.show
    finally:
        bars.close()


class _Bars:
    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._stage = ""
        self._bar: tqdm[Never] | None = None

    def show(self, stage: str, done: int, total: int, skipped: int) -> None:
        bar = self._of(stage)
        bar.total = total
        if (more := skipped - bar.initial) > 0:
            # What was skipped is part of the bar, but not of the rate.
            bar.initial += more
            bar.n += more
            bar.last_print_n += more
            bar.set_postfix_str(f"{skipped:,} were embedded before", refresh=False)
        bar.update(done - bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()

    def _of(self, stage: str) -> "tqdm[Never]":
        # Imported here because every start of the command imports this module.
        from tqdm import tqdm

        if self._bar is None or stage != self._stage:
            self.close()
            self._stage, self._bar = stage, tqdm(desc=stage, unit=f" {self._unit}")
        return self._bar


class _Lines:
    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._stage = ""
        self._began = self._told = self._last = time.monotonic()

    def show(self, stage: str, done: int, total: int, skipped: int) -> None:
        now = time.monotonic()
        if stage != self._stage:
            # The first that is shown of a stage has taken time, too.
            self._stage, self._began = stage, self._last
        self._last = now
        if now - self._told < SECONDS_TO_A_LINE:
            return
        self._told = now
        rate = (done - skipped) / max(now - self._began, 0.001)
        stored = f"; {skipped:,} were embedded before" if skipped else ""
        print(f"{stage}: {done:,} of {total:,} {self._unit}, {rate:,.0f} a second{stored}", file=sys.stderr, flush=True)
