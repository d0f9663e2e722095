"""Under which licences the parts of a release are, and whether they may ship."""

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
"""What may ship unchanged beside this project's Apache-2.0, by SPDX identifier."""

CLASSIFIED: Final = {
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: MIT License": "MIT",
}
"""Of packages that declare a classifier and no identifier."""

READ: Final = {"protobuf": "BSD-3-Clause"}
"""Of packages that declare their licence in words of their own: read in the text that they carry."""

_IDENTIFIER: Final = re.compile(r"[\w.+-]+")
_OPERATORS: Final = {"AND", "OR", "WITH"}


class LicenceError(Exception):
    """A part may not ship, or does not say under which licence it is."""


def licence(component: dict[str, Any]) -> str:
    """The licence of a CycloneDX component, as an SPDX expression.

    Raises:
        LicenceError: it has none that is known.
    """
    choices = component.get("licenses", [])
    expressions = [choice["expression"] for choice in choices if "expression" in choice]
    named = [choice["license"] for choice in choices if "license" in choice]
    identifiers = [entry["id"] for entry in named if "id" in entry]
    classified = [CLASSIFIED[entry["name"]] for entry in named if entry.get("name") in CLASSIFIED]
    found = expressions or identifiers or classified or [READ.get(component["name"], "")]
    if not all(found):
        raise LicenceError(f"{component['name']} does not say under which licence it is: {choices}")
    return " AND ".join(dict.fromkeys(found))


def check(component: dict[str, Any]) -> None:
    """Hold a component's licence to the list. Alternatives are, too: a person may leave one out of it.

    Raises:
        LicenceError: one of its licences is not allowed, or not known.
    """
    expression = licence(component)
    refused = set(_IDENTIFIER.findall(expression)) - _OPERATORS - ALLOWED
    if refused:
        raise LicenceError(f"{component['name']} is under {expression}; not allowed: {', '.join(sorted(refused))}")


def table(components: list[dict[str, Any]]) -> str:
    """The components with their licences, in Markdown."""
    rows = [f"| {entry['name']} | {entry['version']} | {licence(entry)} |" for entry in components]
    return "\n".join(["| name | version | licence |", "|---|---|---|", *rows, ""])
