"""The process of `benchmarks.mutants` that runs tests of one checkout; it imports that checkout alone.

It imports the packages that the project needs once, and runs each request in a fork of itself, so that no run waits
for them. A request and its answer are JSON, one line each.
"""

import importlib
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

WORKER: Final = Path(__file__).resolve()
PACKAGES: Final = (
    "httpx2",
    "hypothesis",
    "jsonschema",
    "mcp",
    "numpy",
    "onnxruntime",
    "pydantic",
    "starlette",
    "uvicorn",
)
MEMORY: Final = 8 << 30
"""Bytes of address space for a run; a mutant may ask for more and more."""


class FirstFailure:
    """Remembers the first test that fails, or what fails before any test runs."""

    def __init__(self) -> None:
        self.found: str | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the report of a phase of a test."""
        self._take(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Take the report of a file that may not have been imported."""
        self._take(report)

    def _take(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.failed and not self.found:
            slow = "Timeout (>" in str(report.longrepr)
            self.found = f"timeout: {report.nodeid}" if slow else report.nodeid


def run_tests(tests: Sequence[str], folder: Path) -> None:
    """Run the tests until one fails, and write it to `folder`; null if all pass."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    first = FirstFailure()
    log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT)
    os.dup2(log, 1)
    os.dup2(log, 2)
    options = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--timeout", "40", "--hypothesis-seed", "0"]
    # The packages are imported before pytest can rewrite their assertions.
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning", "--basetemp", str(folder / "tests")]
    code = pytest.main([*options, *tests], plugins=[first])
    found = first.found or (None if code == 0 else f"pytest ended with {code}")
    (folder / "found").write_text(json.dumps(found), encoding="utf-8")


def answer(tests: Sequence[str], limit: float) -> dict[str, Any]:
    """Run the tests in a fork for at most `limit` seconds."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        child = os.fork()
        if not child:
            os.setsid()
            os.environ |= {"HOME": name, "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "hypothesis")}
            try:
                run_tests(tests, folder)
            finally:
                os._exit(0)
        while os.waitpid(child, os.WNOHANG) == (0, 0) and time.monotonic() - start < limit:
            time.sleep(0.05)
        late = time.monotonic() - start >= limit
        _end(child)
        found = folder / "found"
        first = json.loads(found.read_text(encoding="utf-8")) if found.exists() else "the process ended"
        return {"first": "timeout: the whole run" if late else first, "seconds": round(time.monotonic() - start, 1)}


def _end(child: int) -> None:
    """End the child, which leads a group of its own, and what it started."""
    try:
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


def main() -> None:
    """Answer the requests of standard input."""
    # What was compiled from a mutant must not be found later.
    sys.dont_write_bytecode = True
    for package in PACKAGES:
        importlib.import_module(package)
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(answer(request["tests"], request["limit"])), flush=True)


if __name__ == "__main__":
    # The folder of this file is no place to import from; the checkout is.
    sys.path = [str(Path.cwd()), *(entry for entry in sys.path if Path(entry or ".").resolve() != WORKER.parent)]
    main()
