"""The licences of a release's components, and whether they may ship."""

import re
from typing import Any, Final

ALLOWED: Final = {
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "PSF-2.0",
    "Zlib",
}
"""SPDX identifiers of the licences whose components may ship unchanged with this project's Apache-2.0 code."""

CLASSIFIED: Final = {
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: MIT License": "MIT",
}
"""SPDX identifier for packages that declare only a classifier."""

READ: Final = {"protobuf": "BSD-3-Clause", "pystemmer": "MIT AND BSD-3-Clause"}
"""SPDX expressions, found by reading the licence text in the package, for packages that declare no standard name or not
all of their licences; names are in lower case."""

_IDENTIFIER: Final = re.compile(r"[\w.+-]+")
_OPERATORS: Final = {"AND", "OR", "WITH"}


class LicenceError(Exception):
    """A component may not ship, or does not declare a known licence."""


def licence(component: dict[str, Any]) -> str:
    """Return the licence of a CycloneDX component, as an SPDX expression.

    Raises:
        LicenceError: the component declares no known licence.
    """
    choices = component.get("licenses", [])
    expressions = [choice["expression"] for choice in choices if "expression" in choice]
    named = [choice["license"] for choice in choices if "license" in choice]
    identifiers = [entry["id"] for entry in named if "id" in entry]
    classified = [CLASSIFIED[entry["name"]] for entry in named if entry.get("name") in CLASSIFIED]
    read = READ.get(component["name"].lower(), "")
    found = [read] if read else expressions or identifiers or classified or [""]
    if not all(found):
        raise LicenceError(f"{component['name']} declares no known licence: {choices}")
    return " AND ".join(dict.fromkeys(found))


def check(component: dict[str, Any]) -> None:
    """Check a component's licences against the list. All alternatives (OR) must be on it: only a person may pick one.

    Raises:
        LicenceError: one of its licences is not allowed, or not known.
    """
    expression = licence(component)
    refused = set(_IDENTIFIER.findall(expression)) - _OPERATORS - ALLOWED
    if refused:
        raise LicenceError(f"{component['name']} is under {expression}; not allowed: {', '.join(sorted(refused))}")


def table(components: list[dict[str, Any]]) -> str:
    """Return the components with their licences, in Markdown."""
    rows = [f"| {entry['name']} | {entry['version']} | {licence(entry)} |" for entry in components]
    return "\n".join(["| name | version | licence |", "|---|---|---|", *rows, ""])
