"""Language models of vendors: providers by name, and the environment variables that hold their keys."""

from typing import Final

from server.errors import CallerError
from server.providers.base import Provider
from server.providers.vendor import key_from_environment

KEY_VARIABLES: Final[dict[str, str]] = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}


def open_provider(
    name: str, model: str, *, base_url: str | None, key_variable: str | None, timeout: float, retries: int
) -> Provider:
    """Open a provider for a model.

    Args:
        name: a key of `KEY_VARIABLES`; `openai` is any server with an OpenAI-compatible API.
        model: its name at the provider.
        base_url: URL of the API (None: the vendor's own).
        key_variable: environment variable with the key (None: the vendor's usual one).
        timeout: seconds per attempt.
        retries: retries after a failed attempt.

    Raises:
        CallerError: there is no key, or the vendor's SDK is not installed.
    """
    key = key_from_environment(key_variable or KEY_VARIABLES[name])
    try:
        if name == "anthropic":
            from server.providers.anthropic import AnthropicProvider

            return AnthropicProvider(model, key, base_url, timeout, retries)
        from server.providers.openai import OpenAIProvider

        return OpenAIProvider(model, key, base_url, timeout, retries)
    except ModuleNotFoundError as error:
        raise _not_installed(error) from error


def _not_installed(error: ModuleNotFoundError) -> CallerError:
    return CallerError(
        f"{error.name!r} is not installed; a model is asked through its vendor's SDK; "
        "install it with: pip install 'agent-capabilities[eval]'"
    )
