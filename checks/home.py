"""An empty home for each run of a program, and the processes that the program starts from there."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SECONDS: Final = 150
"""For one run of a host."""

_NOWHERE: Final = "http://127.0.0.1:9"
"""A proxy that is not there, so that no host reaches its maker."""
_SYSTEM: Final = ("SYSTEMROOT", "COMSPEC", "PATHEXT", "PROCESSOR_ARCHITECTURE")
_PLACES: Final = {
    "HOME": "",
    "USERPROFILE": "",
    "APPDATA": "roaming",
    "LOCALAPPDATA": "local",
    "TEMP": "tmp",
    "TMP": "tmp",
    "TMPDIR": "tmp",
    "XDG_CACHE_HOME": ".cache",
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
}


@dataclass(frozen=True)
class Ended:
    """The outcome of a host's run."""

    status: int | None
    out: str
    errors: str
    started: float

    @property
    def said(self) -> str:
        """Everything that the host printed."""
        return self.out + self.errors


@dataclass(frozen=True)
class Home:
    """A folder that a host takes for the user's home."""

    folder: Path

    @classmethod
    def make(cls, folder: Path) -> "Home":
        """Make a home with its usual folders."""
        home = cls(folder.resolve())
        for part in (home.project, *map(Path, home._folders().values())):
            part.mkdir(parents=True, exist_ok=True)
        return home

    @property
    def project(self) -> Path:
        """The folder that hosts are started in."""
        return self.folder / "project"

    def write(self, path: str, text: str) -> Path:
        """Write a file of the home."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
        return target

    def environment(self) -> dict[str, str]:
        """Return a host's environment: of the real one only where programs are, and no way out but to this machine."""
        node = shutil.which("node")
        path = os.pathsep.join([*([str(Path(node).parent)] if node else []), os.defpath])
        proxies = {"HTTP_PROXY": _NOWHERE, "HTTPS_PROXY": _NOWHERE, "NO_PROXY": "127.0.0.1,localhost"}
        system = {name: os.environ[name] for name in _SYSTEM if name in os.environ}
        terminal = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1", "LANG": "C.UTF-8"}
        return {**system, "PATH": path, **proxies, **terminal, **self._folders()}

    def _folders(self) -> dict[str, str]:
        return {name: str(self.folder / place) for name, place in _PLACES.items()}

    def run(self, command: Sequence[str], environment: Mapping[str, str], seconds: float = SECONDS) -> Ended:
        """Run a host to its end, or end it when its time is up (then without a status)."""
        started = time.monotonic()
        with subprocess.Popen(
            command,
            cwd=self.project,
            env={**self.environment(), **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        ) as process:
            try:
                out, errors = process.communicate(timeout=seconds)
                status: int | None = process.returncode
            except subprocess.TimeoutExpired:
                self._end(process)
                out, errors = process.communicate()
                status = None
        return Ended(status, out, errors, started)

    def end_left(self) -> None:
        """End every process that was started from this home and runs on, such as an agent in the background."""
        mark = f"HOME={self.folder}".encode()
        for path in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark in (path / "environ").read_bytes().split(b"\0"):
                    os.kill(int(path.name), signal.SIGKILL)

    def servers(self) -> list[int]:
        """Return the processes of our command that were started from this home. Only Linux can tell."""
        return [int(path.name) for path in Path("/proc").glob("[0-9]*") if self._is_server(path)]

    def kill_servers(self) -> None:
        """End them as a crash would, and wait until they are gone."""
        for process in self.servers():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.wait_until_gone(5)

    def wait_until_gone(self, seconds: float) -> bool:
        """Return whether none of our processes runs any more, after waiting for that."""
        until = time.monotonic() + seconds
        while self.servers():
            if time.monotonic() > until:
                return False
            time.sleep(0.05)
        return True

    def _is_server(self, process: Path) -> bool:
        try:
            arguments = (process / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
            environment = (process / "environ").read_bytes().split(b"\0")
        except OSError:
            return False
        ours = any(Path(each).name in {"agent-capabilities", "agent_capabilities"} for each in arguments[:3])
        return ours and f"HOME={self.folder}".encode() in environment

    def _end(self, process: subprocess.Popen[str]) -> None:
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
        self.kill_servers()
