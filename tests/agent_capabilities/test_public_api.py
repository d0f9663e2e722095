import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import agent_capabilities
from server import package_version
from server.paths import shipped_data

ROOT = shipped_data().parent


def python(script: str, *path: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a script with Python, the folders of `path` first on its path."""
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {[str(folder) for folder in path]!r}\n{script}"]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_every_public_name_is_that_of_its_module() -> None:
    for module, names in agent_capabilities._MODULES.items():
        for name in names:
            assert getattr(agent_capabilities, name) is getattr(importlib.import_module(module), name)


def test_the_names_offered_are_those_that_can_be_imported() -> None:
    assert sorted(name for names in agent_capabilities._MODULES.values() for name in names) == sorted(
        agent_capabilities.__all__
    )


def test_the_release_is_told() -> None:
    assert agent_capabilities.__version__ == package_version()


def test_an_unknown_name_is_told_with_the_known_ones() -> None:
    with pytest.raises(AttributeError, match=r"has no attribute 'Macher'; it has .*Matcher"):
        _ = agent_capabilities.Macher


@pytest.mark.processes
def test_importing_the_package_loads_nothing_numeric(tmp_path: Path) -> None:
    done = python("import agent_capabilities; print('numpy' in sys.modules)", ROOT, cwd=tmp_path)
    assert done.stdout.strip() == "False", done.stderr


@pytest.mark.processes
@pytest.mark.parametrize("imported_first", ["", "import embeddings; "])
def test_a_foreign_package_of_the_same_name_is_an_import_error_that_says_what_to_do(
    tmp_path: Path, imported_first: str
) -> None:
    (tmp_path / "embeddings.py").write_text("", encoding="utf-8")
    done = python(f"{imported_first}from agent_capabilities import Matcher", tmp_path, ROOT, cwd=tmp_path)
    assert "ImportError: 'embeddings' is " in done.stderr
    assert "rename yours, or run from another folder" in done.stderr
