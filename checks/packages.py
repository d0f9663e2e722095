"""The hosts' packages of npm, each in one version, installed into a folder of this checkout."""

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER_VARIABLE: Final = "AGENT_CAPABILITIES_HOSTS"
"""Names another folder for the packages; the usual one is `build/hosts`."""

_SECONDS: Final = 600
_ROOT: Final = Path(__file__).resolve().parents[1]


class NotInstalledError(Exception):
    """A package cannot be had here."""


@dataclass(frozen=True)
class Package:
    """A program in a package of npm."""

    name: str
    version: str
    program: str

    @property
    def folder(self) -> Path:
        """Where it is installed."""
        return packages_folder() / f"{self.program}-{self.version}"

    def install(self) -> Path:
        """Return the program's path, after installing the package if it is not there yet.

        Raises:
            NotInstalledError: there is no npm, or it cannot install the package.
        """
        folder = self.folder
        if not folder.exists():
            self._install(folder)
        found = shutil.which(self.program, path=str(folder / "node_modules" / ".bin"))
        if found is None:
            raise NotInstalledError(f"{self.name}@{self.version} has no program {self.program!r}")
        return Path(found)

    def _install(self, folder: Path) -> None:
        npm = shutil.which("npm")
        if npm is None:
            raise NotInstalledError(f"{self.name} is not installed, and there is no npm; install Node.js")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as made:
            # A folder appears under its name only when it is whole.
            target = Path(made) / "package"
            options = ["--no-audit", "--no-fund", "--no-save", "--loglevel=error", f"--cache={folder.parent / 'npm'}"]
            command = [npm, "install", f"--prefix={target}", *options, f"{self.name}@{self.version}"]
            target.mkdir()
            done = subprocess.run(command, capture_output=True, check=False, encoding="utf-8", timeout=_SECONDS)
            if done.returncode:
                raise NotInstalledError(f"npm cannot install {self.name}@{self.version}: {done.stderr.strip()[:300]}")
            target.rename(folder)


def newest_version(name: str) -> str:
    """Return the newest version of a package.

    Raises:
        NotInstalledError: there is no npm, or it does not know the package.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise NotInstalledError(f"the versions of {name} are not known, and there is no npm; install Node.js")
    command = [npm, "view", name, "version"]
    done = subprocess.run(command, capture_output=True, check=False, encoding="utf-8", timeout=_SECONDS)
    if done.returncode:
        raise NotInstalledError(f"npm does not know {name}: {done.stderr.strip()[:300]}")
    return done.stdout.strip()


def packages_folder() -> Path:
    """Return the folder that the packages are installed into."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    return Path(chosen).resolve() if chosen else _ROOT / "build" / "hosts"


def printed_version(text: str) -> str:
    """Return the version in what a program prints of itself."""
    found = re.search(r"\d+\.\d+\.\d+", text)
    return found[0] if found else text.strip()[:40]
