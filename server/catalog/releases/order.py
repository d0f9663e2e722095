"""The order of releases."""

import re
from typing import Final

_NUMBERS: Final = re.compile(r"v?(\d+(?:\.\d+)*)")

Parts = tuple[int, ...]


def parts(release: str) -> Parts:
    """The numbers of a release, which compare in its order: `v1.10.0` is (1, 10), after `1.9.3`.

    What follows the numbers does not count: a preview stands for the release that it leads to.

    Args:
        release: as `server.catalog.models.Release` permits it.
    """
    found = _NUMBERS.match(release)
    numbers = [int(number) for number in found[1].split(".")] if found else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
