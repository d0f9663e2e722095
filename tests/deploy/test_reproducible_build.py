"""The same sources give the same wheel and sdist: anybody can check what was released."""

import io
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from deploy.project import ROOT

pytestmark = pytest.mark.slow
pytest.importorskip("hatchling", reason="needs the build backend")

LONG_AGO = 946_684_800
"""The first second of 2000."""


def sources() -> list[Path]:
    """Return what the sdist is made of, and what hatchling takes along by itself."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    named = settings["tool"]["hatch"]["build"]["only-include"]
    return [ROOT / name for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE", ".gitignore", *named)]


def copied(paths: Iterable[Path], folder: Path) -> None:
    folder.mkdir()
    for path in paths:
        if path.is_dir():
            shutil.copytree(path, folder / path.name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(path, folder)


def built(folder: Path, umask: int = -1) -> dict[str, bytes]:
    """Return every package by its file name."""
    out = folder.parent / f"{folder.name}-dist"
    environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(out)]
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, umask=umask)
    return {path.name: path.read_bytes() for path in out.iterdir()}


def test_two_builds_at_other_times_and_places_are_the_same_byte_for_byte(tmp_path: Path) -> None:
    copied(sources(), tmp_path / "one")
    another = tmp_path / "deeper"
    another.mkdir()
    copied(reversed(sources()), another / "another")
    for path in another.rglob("*"):
        os.utime(path, (LONG_AGO, LONG_AGO))
        if os.name == "posix":
            # What can be executed stays so: that is part of a file, as its content is.
            path.chmod(0o700 if path.is_dir() or path.stat().st_mode & 0o100 else 0o600)
    first, second = built(tmp_path / "one"), built(another / "another", 0o077 if os.name == "posix" else -1)
    assert len(first) == 2
    assert first == second


def test_the_files_of_the_page_are_in_both_packages(tmp_path: Path) -> None:
    copied(sources(), tmp_path / "checkout")
    packages = {name.rpartition(".")[2]: io.BytesIO(content) for name, content in built(tmp_path / "checkout").items()}
    page = {f"server/web/page/{path.name}" for path in (ROOT / "server" / "web" / "page").iterdir()}
    assert "server/web/page/index.html" in page
    assert page <= set(zipfile.ZipFile(packages["whl"]).namelist())
    with tarfile.open(fileobj=packages["gz"]) as sdist:
        # All of it is in one folder.
        assert page <= {name.partition("/")[2] for name in sdist.getnames()}


def test_the_sdist_gives_the_same_wheel(tmp_path: Path) -> None:
    copied(sources(), tmp_path / "checkout")
    packages = built(tmp_path / "checkout")
    (sdist,) = (name for name in packages if name.endswith(".tar.gz"))
    shutil.unpack_archive(tmp_path / "checkout-dist" / sdist, tmp_path / "unpacked", filter="data")
    again = built(tmp_path / "unpacked" / sdist.removesuffix(".tar.gz"))
    assert again == packages
