"""The workflows: what they may do, and what they run."""

import re
from collections.abc import Iterator
from typing import Any

from tests.deploy.yaml_files import workflows

WORKFLOWS = workflows()
JOBS = [(file, name, job) for file, workflow in WORKFLOWS.items() for name, job in workflow["jobs"].items()]

MAY_WRITE = {
    ("release.yml", "build"): {"id-token", "attestations"},
    ("release.yml", "image"): {"packages", "id-token", "attestations"},
    ("release.yml", "pypi"): {"id-token"},
    ("release.yml", "release"): {"contents"},
    ("release.yml", "registry"): {"id-token"},
    ("freshness.yml", "report"): {"issues"},
    ("freshness.yml", "claims"): {"issues"},
}


def steps() -> Iterator[dict[str, Any]]:
    for _, _, job in JOBS:
        yield from job.get("steps", [])


def test_every_action_is_pinned_to_a_commit() -> None:
    used = [step["uses"] for step in steps() if "uses" in step]
    assert used
    assert [name for name in used if not re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", name)] == []


def test_an_action_is_of_the_same_commit_everywhere() -> None:
    used = {step["uses"] for step in steps() if "uses" in step}
    assert len({name.partition("@")[0] for name in used}) == len(used)


def test_a_workflow_may_at_most_read_unless_a_job_says_more() -> None:
    for file in sorted(WORKFLOWS):
        assert WORKFLOWS[file]["permissions"] in ({}, {"contents": "read"}), file


def test_a_job_may_write_only_what_it_is_for() -> None:
    for file, name, job in JOBS:
        written = {scope for scope, access in job.get("permissions", {}).items() if access == "write"}
        assert written == MAY_WRITE.get((file, name), set()), file


def test_no_checkout_leaves_the_token_behind() -> None:
    checkouts = [step for step in steps() if step.get("uses", "").startswith("actions/checkout@")]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_nothing_is_pasted_into_a_script() -> None:
    assert [step["run"] for step in steps() if "${{" in step.get("run", "")] == []
