"""Where the tokens of an upstream are kept: a file that only the user can read."""

import hashlib
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from mcp.shared.auth import OAuthClientInformationFull, OAuthMetadata, OAuthToken
from platformdirs import user_data_dir

from embeddings.files import read_text
from server import SERVER_NAME
from server.gateway.configuration.upstream_config import UpstreamConfig

LOGINS_VARIABLE: Final = "AGENT_CAPABILITIES_LOGINS"
"""The environment variable that names the folder of logins."""

_MOST: Final = 1 << 20


class LoginFile:
    """The stored login of one upstream; the SDK's storage of tokens.

    Attributes:
        path: of the file. Its name says nothing about the upstream.
        metadata: of the authorization server, which the SDK would otherwise guess when it refreshes a token.
        expires: when the access token expires, in seconds since 1970.
    """

    def __init__(self, config: UpstreamConfig):
        digest = hashlib.sha256(f"{config.name}\0{config.url}".encode()).hexdigest()
        self.path = logins_folder() / f"{digest[:32]}.json"
        self.metadata: OAuthMetadata | None = None
        self.expires: float | None = None
        self._tokens: OAuthToken | None = None
        self._client: OAuthClientInformationFull | None = None

    def load(self) -> bool:
        """Read the file; False if there is no usable one."""
        try:
            stored: dict[str, Any] = json.loads(read_text(self.path, _MOST))
            self._tokens = OAuthToken.model_validate(stored["tokens"])
            self._client = OAuthClientInformationFull.model_validate(stored["client"])
            self.metadata = OAuthMetadata.model_validate(stored["metadata"]) if "metadata" in stored else None
            self.expires = stored.get("expires")
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return False
        return True

    def save(self) -> None:
        """Write the file in one step.

        Raises:
            OSError: it cannot be written.
        """
        stored: dict[str, Any] = {}
        for name, model in (("tokens", self._tokens), ("client", self._client), ("metadata", self.metadata)):
            if model is not None:
                stored[name] = model.model_dump(mode="json", exclude_none=True)
        if self.expires is not None:
            stored["expires"] = self.expires
        _write_private(self.path, json.dumps(stored).encode())

    async def get_tokens(self) -> OAuthToken | None:
        """The tokens."""
        return self._tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep new tokens, also in the file."""
        self._tokens = tokens
        self.expires = time.time() + tokens.expires_in if tokens.expires_in is not None else None
        self.save()

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """The client as it is registered."""
        return self._client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep a registration; it is written with the tokens."""
        self._client = client_info


def logins_folder() -> Path:
    """The folder of logins: from the environment, else in the user's data folder."""
    chosen = os.environ.get(LOGINS_VARIABLE)
    return Path(chosen).expanduser() if chosen else Path(user_data_dir(SERVER_NAME, appauthor=False)) / "logins"


def _write_private(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.parent.chmod(0o700)
    # mkstemp makes a file that only its owner can read and write.
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
