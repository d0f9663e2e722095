import pytest

from server.tools.label_tools import label_tools
from server.toolset.registry import TOOLS
from tests.server.snapshot_files import FOLDER, complaint, listed
from tests.toy import BOOK

NAMES = [tool.name for tool in TOOLS] + [f"catalog.{tool.name}" for tool in label_tools(BOOK)]


@pytest.fixture(scope="module")
def snapshots() -> dict[str, str]:
    return listed()


def test_a_tool_is_listed_as_its_snapshot_says(snapshots: dict[str, str], subtests: pytest.Subtests) -> None:
    for name in NAMES:
        with subtests.test(name=name):
            if wrong := complaint(name, snapshots[name]):
                pytest.fail(wrong, pytrace=False)


def test_every_snapshot_is_of_a_tool() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(NAMES)
