"""Keeps the default run quick: a test that starts a process fails unless it is marked `processes` or `slow`."""

import sys
from collections.abc import Generator
from typing import Any, Final

import pytest

MARKERS: Final = ("processes", "slow")
_EVENTS: Final = frozenset({"os.fork", "os.forkpty", "os.posix_spawn", "subprocess.Popen"})


class ProcessGuard:
    """A pytest plugin that refuses to start processes while an unmarked test runs."""

    def __init__(self) -> None:
        self._guarded = ""
        # On other systems the standard library itself starts processes, to ask which system it is.
        if sys.platform == "linux":
            sys.addaudithook(self._refuse)

    def _refuse(self, event: str, _: tuple[Any, ...]) -> None:
        if self._guarded and event in _EVENTS:
            raise RuntimeError(
                f"{self._guarded} starts a process ({event}); only tests marked {' or '.join(MARKERS)} may; mark it "
                "with pytest.mark.processes"
            )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Guard a test and its fixtures."""
        marked = any(item.get_closest_marker(name) for name in MARKERS)
        self._guarded = "" if marked else item.nodeid
        try:
            return (yield)
        finally:
            self._guarded = ""
