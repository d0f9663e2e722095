"""What the providers of all vendors share: one SDK client, and conversations that fail with a `ProviderError`.

The SDKs themselves wait and try again after status 429 and 5xx, timeouts and dropped connections.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Final

from pydantic import SecretStr

from server.providers.api_key import redact
from server.providers.base import ProviderError, Turn

UNREADABLE: Final = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""What reading a reply of the wrong shape raises, in an SDK or here."""


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
