"""What the providers of all vendors share, whose SDKs are alike."""

from typing import Any

from server.harness.secrets import Secret


class VendorProvider:
    """A model behind a vendor's SDK, which waits and tries again after 429, 5xx, timeouts and cut connections."""

    def __init__(self, client: Any, model: str, key: Secret) -> None:
        """Ask `model` through an SDK's asynchronous client that was opened with `key`."""
        self.model = model
        self._client = client
        self._key = key

    def hide(self, text: str) -> str:
        """A text without the key."""
        return self._key.hidden_in(text)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()
