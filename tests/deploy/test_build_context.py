"""What a build of the image may see of the checkout."""

from pathlib import Path, PurePosixPath

import pytest

from deploy.build_context import copy_from_context, ignore_patterns, in_context


@pytest.mark.parametrize(
    "path", ["pyproject.toml", "server/http/app.py", "data/agents/claude-code/capabilities/current.json"]
)
def test_what_the_wheel_is_made_of_is_in_it(path: str) -> None:
    assert in_context(PurePosixPath(path), ignore_patterns())


@pytest.mark.parametrize(
    "path",
    [
        ".git/config",
        ".venv/bin/python",
        "tokens/tokens.json",
        "deploy/compose.yaml",
        "server/__pycache__/http.pyc",
        "tests/toy.py",
    ],
)
def test_nothing_else_is(path: str) -> None:
    assert not in_context(PurePosixPath(path), ignore_patterns())


def test_the_last_pattern_that_fits_decides() -> None:
    assert in_context(PurePosixPath("a/b.txt"), ["*", "!a"])
    assert not in_context(PurePosixPath("a/b.txt"), ["*", "!a", "a/*.txt"])
    assert not in_context(PurePosixPath("a/x/b"), ["**/x"])


def test_a_source_that_is_kept_out_cannot_be_copied(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"compose\.yaml"):
        copy_from_context(["deploy/compose.yaml"], tmp_path / "compose.yaml", into=False)
