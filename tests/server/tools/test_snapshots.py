import difflib

import pytest

from server.tools.registry import BY_NAME
from tests.server.snapshot_files import ACCEPT, FOLDER, listed


@pytest.fixture(scope="module")
def snapshots() -> dict[str, str]:
    return listed()


@pytest.mark.parametrize("name", BY_NAME)
def test_a_tool_is_listed_as_its_snapshot_says(snapshots: dict[str, str], name: str) -> None:
    path = FOLDER / f"{name}.json"
    if not path.is_file():
        pytest.fail(f"{path} is missing; to accept the tool as it is: {ACCEPT}", pytrace=False)
    accepted = path.read_text(encoding="utf-8")
    if accepted != snapshots[name]:
        lines = difflib.unified_diff(
            accepted.splitlines(), snapshots[name].splitlines(), f"accepted {name}", f"now {name}", lineterm=""
        )
        pytest.fail("\n".join([*lines, f"to accept the change: {ACCEPT}"]), pytrace=False)


def test_every_snapshot_is_of_a_tool() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(BY_NAME)
