"""A key that does not show."""

import json
import os
from typing import Final

from server.errors import CallerError

HIDDEN: Final = "[key]"
SHORTEST: Final = 8
"""Characters of a key that is worth hiding; a placeholder such as "x" would garble every text."""


class Secret:
    """A text that is shown as `[key]` wherever it is printed by accident."""

    def __init__(self, value: str) -> None:
        """Keep a value that is not blank."""
        self._value = value

    @classmethod
    def from_environment(cls, variable: str) -> "Secret":
        """The value of an environment variable.

        Raises:
            CallerError: it is not set.
        """
        value = os.environ.get(variable, "").strip()
        if not value:
            raise CallerError(f"no key in {variable}; a model is asked with a key from the environment; set {variable}")
        return cls(value)

    def reveal(self) -> str:
        """The value, for whoever must have it."""
        return self._value

    def hidden_in(self, text: str) -> str:
        """A text without the value, as it is and as JSON writes it; a value too short to be a secret is left alone."""
        if len(self._value) < SHORTEST:
            return text
        return text.replace(self._value, HIDDEN).replace(json.dumps(self._value)[1:-1], HIDDEN)

    def __repr__(self) -> str:
        return HIDDEN

    __str__ = __repr__
