"""A progress bar on stderr while a catalog is embedded; not shown unless stderr is a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def embedding_progress() -> Iterator[Callable[[int, int], None]]:
    """Yield a callback that shows how many texts are embedded, out of how many."""
    # Imported here because every start of the command imports this module.
    from tqdm import tqdm

    with tqdm(desc="embedding", unit=" texts", disable=None) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show
