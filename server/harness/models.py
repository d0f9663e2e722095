"""The models that can be asked, and where their keys come from."""

from typing import Final, Literal, get_args

from server.errors import CallerError
from server.harness.provider import Provider
from server.harness.secrets import Secret

ProviderName = Literal["openai", "anthropic"]
PROVIDERS: Final = get_args(ProviderName)

KEY_VARIABLES: Final[dict[str, str]] = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}


def open_provider(
    name: str, model: str, *, base_url: str | None, key_variable: str | None, timeout: float, retries: int
) -> Provider:
    """A provider for a model.

    Args:
        name: one of `PROVIDERS`; `openai` is any server with that API.
        model: as the provider names it.
        base_url: where its API is; the vendor's own when None.
        key_variable: environment variable with the key; the vendor's usual one when None.
        timeout: seconds that one try may take.
        retries: tries after the first.

    Raises:
        CallerError: there is no key, or the vendor's SDK is not installed.
    """
    key = Secret.from_environment(key_variable or KEY_VARIABLES[name])
    try:
        if name == "anthropic":
            from server.harness.anthropic_provider import AnthropicProvider

            return AnthropicProvider(model, key, base_url, timeout, retries)
        from server.harness.openai_provider import OpenAIProvider

        return OpenAIProvider(model, key, base_url, timeout, retries)
    except ModuleNotFoundError as error:
        raise CallerError(
            f"{error.name!r} is not installed; asking a model needs its vendor's SDK; "
            "install it with: pip install 'agent-capabilities[eval]'"
        ) from error
