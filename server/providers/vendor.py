"""Shared code of the vendors' providers: one SDK client, and conversations that fail with a `ProviderError`.

The SDKs themselves wait and try again after status 429 and 5xx, timeouts and dropped connections.

A server's reply may repeat the API key. `SecretStr` only keeps the key out of what this process prints itself, so
errors are redacted here before anybody reads them.
"""

import json
import os
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Final

from pydantic import SecretStr

from server.errors import CallerError
from server.providers.base import ProviderError, Turn

REDACTED: Final = "[key]"
MIN_REDACTED_LENGTH: Final = 8
"""Shorter keys are placeholders such as "x"; replacing one would garble every text."""


def key_from_environment(variable: str) -> SecretStr:
    """Return the key in an environment variable.

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


UNREADABLE: Final = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""Errors of reading a reply of the wrong shape, in an SDK or here."""


class VendorProvider:
    """A model behind a vendor's SDK."""

    def __init__(self, client: Any, model: str, key: SecretStr) -> None:
        """Ask `model` through an SDK's asynchronous client that was opened with `key`."""
        self.model = model
        self._client = client
        self._key = key

    def redact(self, text: str) -> str:
        """Replace the key in a text."""
        return redact(text, self._key)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


class VendorChat(ABC):
    """One conversation through an SDK; a subclass knows the vendor's message format."""

    sdk_error: ClassVar[type[Exception]]

    def __init__(self, client: Any, model: str, key: SecretStr) -> None:
        """Start without messages."""
        self._client = client
        self._model = model
        self._key = key
        self._messages: list[dict[str, Any]] = []

    async def send_prompt(self, text: str) -> Turn:
        """Send the user's words."""
        self._messages.append({"role": "user", "content": text})
        return await self._next_turn()

    async def _next_turn(self) -> Turn:
        """Send the messages, read the reply and append it to them."""
        try:
            turn = await self._request()
        except (self.sdk_error, *UNREADABLE) as error:
            # Without its cause: the SDK's exception contains the request, and the request contains the key.
            raise ProviderError(redact(f"{type(error).__name__}: {error}", self._key)) from None
        self._messages.append(turn.message)
        return turn

    @abstractmethod
    async def _request(self) -> Turn:
        """Send the messages and read the reply; raises `sdk_error` or one of `UNREADABLE`."""
