"""Local servers of the tests, run beside them."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from socketserver import BaseServer
from typing import TypeVar

Server = TypeVar("Server", bound=BaseServer)


@contextmanager
def serving(server: Server, before_the_end: Callable[[], object] = lambda: None) -> Iterator[Server]:
    """Serve in a thread; `before_the_end` lets go whoever is still held."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        before_the_end()
        server.shutdown()
        server.server_close()
        thread.join()
