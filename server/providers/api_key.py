"""A provider's API key: read from the environment, and redacted if a server sends it back.

`SecretStr` keeps a key out of what this process prints. It cannot take the key out of a server's replies.
"""

import json
import os
from typing import Final

from pydantic import SecretStr

from server.errors import CallerError

REDACTED: Final = "[key]"
MIN_REDACTED_LENGTH: Final = 8
"""Shorter keys are placeholders such as "x"; replacing one would garble every text."""


def key_from_environment(variable: str) -> SecretStr:
    """The key in an environment variable.

    Raises:
        CallerError: the variable is not set, or blank.
    """
    value = os.environ.get(variable, "").strip()
    if not value:
        raise CallerError(f"no key in {variable}; a provider's key is read from the environment; set {variable}")
    return SecretStr(value)


def redact(text: str, key: SecretStr) -> str:
    """Replace a key in a text, both as it is and as JSON writes it."""
    value = key.get_secret_value()
    if len(value) < MIN_REDACTED_LENGTH:
        return text
    return text.replace(value, REDACTED).replace(json.dumps(value)[1:-1], REDACTED)
