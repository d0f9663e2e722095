"""Options that name a language model and say how it is asked."""

import argparse
from typing import TYPE_CHECKING

from server.cli.options import positive, whole

if TYPE_CHECKING:
    from server.providers.base import Provider


def add_provider(command: argparse.ArgumentParser) -> None:
    """Add the options of the API, beside the option `--model`."""
    command.add_argument(
        "--provider", choices=("openai", "anthropic"), default="openai", help="API of the model (default: %(default)s)"
    )
    command.add_argument("--base-url", metavar="URL", help="URL of the API (default: the vendor's own)")
    command.add_argument(
        "--key-variable", metavar="NAME", help="environment variable with the key (default: the vendor's usual one)"
    )
    command.add_argument(
        "--concurrency", metavar="N", type=positive, default=4, help="prompts sent at the same time (default: 4)"
    )
    command.add_argument("--timeout", metavar="S", type=positive, default=60, help="seconds per attempt (default: 60)")
    command.add_argument(
        "--retries", metavar="N", type=whole, default=5, help="retries after a failed attempt (default: 5)"
    )


def open_chosen_provider(options: argparse.Namespace) -> "Provider":
    """Open the provider of `--model`.

    Raises:
        CallerError: there is no key, or the vendor's SDK is not installed.
    """
    from server.providers.registry import open_provider

    return open_provider(
        options.provider,
        options.model,
        base_url=options.base_url,
        key_variable=options.key_variable,
        timeout=options.timeout,
        retries=options.retries,
    )
