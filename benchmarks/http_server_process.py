"""Starts HTTP servers in their own processes, and describes the machine that they run on."""

import contextlib
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import httpx2

if TYPE_CHECKING:
    import psutil

ROOT: Final = Path(__file__).resolve().parent.parent
OURS: Final = (sys.executable, "-m", "agent_capabilities", "serve", "--transport", "http")
BARE: Final = (sys.executable, "-m", "benchmarks.bare_http_server")
SECONDS_TO_START: Final = 60
SECONDS_TO_END: Final = 30
LIBRARIES: Final = ("mcp", "uvicorn", "onnxruntime")
TELLING_INSTRUCTIONS: Final = ("avx2", "avx_vnni", "avx512_vnni")
"""Processor features that the speed of the encoder depends on."""


@dataclass(frozen=True)
class ServerProcess:
    """A server that is ready to answer."""

    address: str
    process: "psutil.Process"

    def memory(self) -> float:
        """Return the resident memory in MB, including that of worker processes."""
        processes = [self.process, *self.process.children(recursive=True)]
        return float(sum(process.memory_info().rss for process in processes)) / 1e6


@contextlib.contextmanager
def served(command: Sequence[str], port: int) -> Iterator[ServerProcess]:
    """Start a server with `command` and a port, wait until it is ready, and stop it at the end."""
    # Imported here, because this package is optional.
    import psutil

    address = f"http://127.0.0.1:{port}"
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen([*command, "--port", str(port)], cwd=ROOT, stderr=log) as process,
    ):
        try:
            if fault := _not_ready(process, address):
                log.seek(0)
                sys.exit(f"{fault}; it logged:\n{log.read().decode(errors='replace')}")
            yield ServerProcess(address, psutil.Process(process.pid))
        finally:
            process.terminate()
            process.wait(SECONDS_TO_END)


def machine() -> dict[str, Any]:
    """Describe what the figures depend on besides the code."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text(encoding="utf-8").splitlines() if information.is_file() else []
    described = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    flags = described.get("flags", "").split()
    return {
        "processor": described.get("model name") or platform.processor() or platform.machine(),
        "instructions": [name for name in TELLING_INSTRUCTIONS if name in flags],
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": {name: metadata.version(name) for name in LIBRARIES},
    }


def _not_ready(process: subprocess.Popen[bytes], address: str) -> str | None:
    """Wait until the server is ready; return None, or the reason if it does not become ready."""
    end = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < end:
        if process.poll() is not None:
            return f"the server ended with status {process.returncode} before it was ready"
        with contextlib.suppress(httpx2.TransportError):
            if httpx2.get(f"{address}/readyz").status_code == 200:
                return None
        time.sleep(0.1)
    return f"the server was not ready at {address} within {SECONDS_TO_START} seconds"
