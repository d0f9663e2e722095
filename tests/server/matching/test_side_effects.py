"""Needs that only ask, and tools that change something."""

from typing import Any

import pytest

from server.matching.side_effects import changes_something, is_unsafe, only_asks


@pytest.mark.parametrize(
    ("need", "asks"),
    [
        ("is pull request 9 mergeable", True),
        ("what's waiting to be merged in our repo?", True),
        ("so, do we have any open incidents", True),
        ("how many rows are in orders", True),
        ("to which lists was the card moved", True),
        ("status and owner of issue 4 before it is updated", True),
        ("get rid of issue 4", False),
        ("merge pull request 9", False),
        ("can you merge it", False),
        ("how do I delete a branch", False),
        ("is it ok? then merge it", False),
        ("what is open, and close it", False),
        ("do the release", False),
    ],
)
def test_a_need_only_asks_if_it_is_one_question(need: str, asks: bool) -> None:
    assert only_asks(need) == asks


@pytest.mark.parametrize(
    ("name", "hints", "changes"),
    [
        ("merge_pull_request", {}, True),
        ("deleteIssue", {}, True),
        ("API-patch-page", {}, True),
        ("kubectl_scale", {}, True),
        ("get_pull_request", {}, False),
        ("search_and_replace", {}, False),
        ("echo", {}, False),
        ("get_and_reset", {"readOnlyHint": False}, True),
        ("update_view", {"readOnlyHint": True}, False),
        ("create", {"readOnlyHint": "yes"}, True),
    ],
)
def test_a_tool_changes_something_as_its_server_or_else_its_first_verb_says(
    name: str, hints: dict[str, Any], changes: bool
) -> None:
    assert changes_something(name, hints) == changes


def test_only_both_together_are_unsafe() -> None:
    assert is_unsafe("is pull request 9 mergeable", "merge_pull_request", {})
    assert not is_unsafe("merge pull request 9", "merge_pull_request", {})
    assert not is_unsafe("is pull request 9 mergeable", "get_pull_request", {})
