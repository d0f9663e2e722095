"""The exact versions that a release is made with fit what the project asks for."""

import re

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from deploy.project import metadata, pins

EXTRAS_OF_THE_IMAGE = ("metrics", "otel")
ASKED = [
    *metadata()["dependencies"],
    *(line for extra in EXTRAS_OF_THE_IMAGE for line in metadata()["optional-dependencies"][extra]),
]


def pinned(file: str) -> list[Requirement]:
    return [Requirement(line) for line in pins(file)]


@pytest.mark.parametrize("file", ["requirements.txt", "tools.txt"])
def test_every_version_is_exact(file: str) -> None:
    assert all(re.fullmatch(r"==[\w.]+", str(requirement.specifier)) for requirement in pinned(file))


@pytest.mark.parametrize("asked", ASKED)
def test_a_dependency_is_pinned_to_a_version_that_it_allows(asked: str) -> None:
    requirement = Requirement(asked)
    found = [
        pin for pin in pinned("requirements.txt") if canonicalize_name(pin.name) == canonicalize_name(requirement.name)
    ]
    assert found
    assert all(requirement.specifier.contains(str(pin.specifier).removeprefix("==")) for pin in found)
