"""A file system for a stage of the Dockerfile: this machine's underneath, what the stage adds in a folder of its own.

Needs root on Linux, in a mount namespace of its own, which takes the mounts with it when it ends.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from deploy.build_context import copy_from_context
from deploy.dockerfile import Instruction, Stage

SYSTEM: Final = {
    "bin",
    "boot",
    "dev",
    "etc",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "proc",
    "run",
    "sbin",
    "sys",
    "usr",
    "var",
}
"""Folders of this machine that stand for those of the base image; the others are empty in a stage."""

BASE_ENVIRONMENT: Final = {
    "HOME": "/",
    "PATH": "/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LANG": "C.UTF-8",
    "LD_LIBRARY_PATH": "/usr/local/lib",
}
"""What the Python images set, and where their loader looks for libpython."""


class StageRoot:
    """The root of one stage, mounted."""

    def __init__(self, folder: Path) -> None:
        """Mount it in `folder`. The Python that runs this stands where the Python image has its own."""
        self.path = folder / "root"
        self._folder = folder
        self._mounts: list[Path] = []
        self._overlay(Path("/"), self.path, "added")
        self._overlay(Path(sys.base_prefix), self.path / "usr/local", "added-to-python")
        for own in sorted(Path("/").iterdir()):
            if own.is_dir() and not own.is_symlink() and own.name not in SYSTEM:
                self._mount("-t", "tmpfs", "-o", "mode=1777", "tmpfs", self.path / own.name)
        self._mount("-t", "proc", "proc", self.path / "proc")
        self._mount("--rbind", "/dev", self.path / "dev")

    @property
    def added(self) -> Path:
        """The files that the stage adds to its base."""
        return self._folder / "added"

    def carry_out(self, stage: Stage, others: dict[str, "StageRoot"]) -> None:
        """Do what the instructions say that change files.

        Args:
            stage: whose.
            others: roots of the stages before it, by name.
        """
        environment = stage.environment(BASE_ENVIRONMENT)
        here = Path("/")
        for instruction in stage.instructions:
            if instruction.keyword == "WORKDIR":
                here = here / instruction.text
                (self.path / here.relative_to("/")).mkdir(parents=True, exist_ok=True)
            elif instruction.keyword == "COPY":
                self._copy(instruction, here, others)
            elif instruction.keyword == "RUN":
                print(f"    RUN {instruction.text[:100]}", flush=True)
                self._run(instruction.text, here, environment)

    def make_read_only(self) -> None:
        """From now on only the temporary folders can be written to."""
        for mounted in self._mounts:
            subprocess.run(["mount", "-o", "remount,ro", str(mounted)], check=True)

    def _overlay(self, lower: Path, place: Path, name: str) -> None:
        upper, work = self._folder / name, self._folder / f"{name}-work"
        for made in (upper, work, place):
            made.mkdir(parents=True, exist_ok=True)
        self._mount("-t", "overlay", "-o", f"lowerdir={lower},upperdir={upper},workdir={work}", "overlay", place)
        self._mounts.append(place)

    def _mount(self, *arguments: str | Path) -> None:
        subprocess.run(["mount", *map(str, arguments)], check=True)

    def _copy(self, instruction: Instruction, here: Path, others: dict[str, "StageRoot"]) -> None:
        *sources, written = instruction.words
        absolute = here / written
        if absolute.parent == Path("/") and absolute.exists():
            raise FileExistsError(f"{absolute} is there on this machine, so nobody could say what the image adds")
        target = self.path / absolute.relative_to("/")
        if "from" in instruction.options:
            origin = others[instruction.options["from"]].path
            for source in sources:
                subprocess.run(["cp", "-a", f"{origin}{source}", str(target)], check=True)
        else:
            copy_from_context(sources, target, into=written.endswith("/"))

    def _run(self, script: str, here: Path, environment: dict[str, str]) -> None:
        # The proxies, certificates and settings of pip by which this machine reaches a package index.
        ours = {name: value for name, value in os.environ.items() if name not in BASE_ENVIRONMENT}
        command = ["chroot", str(self.path), "/bin/sh", "-c", f'cd "$0" && {script}', str(here)]
        subprocess.run(command, env=ours | environment, check=True)
