"""Progress bars on stderr; not shown unless stderr is a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def embedding_progress() -> Iterator[Callable[[int, int], None]]:
    """Yield a callback that shows how many texts are embedded, out of how many."""
    with growing_progress("embedding", "texts") as show:
        yield show


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
