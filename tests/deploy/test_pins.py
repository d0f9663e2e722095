"""The exact versions that a release is made with fit what the project asks for."""

import re

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


def test_every_version_is_exact() -> None:
    for file in ["requirements.txt", "tools.txt"]:
        assert all(re.fullmatch(r"==[\w.]+", str(requirement.specifier)) for requirement in pinned(file)), file


def test_a_dependency_is_pinned_to_a_version_that_it_allows() -> None:
    for asked in ASKED:
        requirement = Requirement(asked)
        found = [
            pin
            for pin in pinned("requirements.txt")
            if canonicalize_name(pin.name) == canonicalize_name(requirement.name)
        ]
        assert found, asked
        assert all(requirement.specifier.contains(str(pin.specifier).removeprefix("==")) for pin in found), asked
