"""The subcommand `eval llm`."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from server.cli.eval_prompts import add_prompts
from server.cli.options import Subcommands, add_command, add_data, add_json, chosen_service, positive, whole
from server.cli.output import print_json
from server.errors import CallerError

if TYPE_CHECKING:
    from server.harness.evaluate import Options
    from server.service import Service


def add(actions: Subcommands) -> None:
    """Register the action."""
    command = add_command(actions, "llm", "how well a language model, or a recording of one, uses the tools", run)
    add_prompts(command)
    origin = command.add_mutually_exclusive_group()
    origin.add_argument("--model", metavar="NAME", help="ask this model; without it the router answers, which is none")
    origin.add_argument("--replay", metavar="FILE", type=Path, help="score recorded calls (JSON lines) instead")
    command.add_argument(
        "--provider", choices=("openai", "anthropic"), default="openai", help="whose API (default: %(default)s)"
    )
    command.add_argument("--base-url", metavar="URL", help="where the API is (default: the vendor's own)")
    command.add_argument(
        "--key-variable", metavar="NAME", help="environment variable with the key (default: the vendor's usual one)"
    )
    command.add_argument("--limit", metavar="N", type=positive, help="the first N prompts only")
    command.add_argument("--at-once", metavar="N", type=positive, default=4, help="prompts at a time (default: 4)")
    command.add_argument("--steps", metavar="N", type=positive, default=8, help="turns a prompt at most (default: 8)")
    command.add_argument("--timeout", metavar="S", type=positive, default=60, help="seconds a try (default: 60)")
    command.add_argument("--retries", metavar="N", type=whole, default=5, help="tries after a failed one (default: 5)")
    command.add_argument(
        "--out", metavar="FILE", type=Path, help="keep every exchange here (JSON lines); taken up again if it is there"
    )
    command.add_argument("--html", metavar="FILE", type=Path, help="write the report as one page")
    add_data(command)
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """Ask, score and report."""
    import anyio

    from server.harness.evaluate import evaluate
    from server.harness.report import to_json, to_text
    from server.harness.report_html import to_html

    service = chosen_service(options)
    name, scores = anyio.run(evaluate, service, _chosen(options, service))
    if options.html:
        _write(options.html, to_html(name, scores))
    if options.json:
        print_json(to_json(name, scores))
    else:
        print(to_text(name, scores))
    return 1 if scores.failures else 0


def _chosen(options: argparse.Namespace, service: "Service") -> "Options":
    from server.harness.evaluate import Options
    from server.harness.models import open_provider

    provider = None
    if options.model:
        provider = open_provider(
            options.provider,
            options.model,
            base_url=options.base_url,
            key_variable=options.key_variable,
            timeout=options.timeout,
            retries=options.retries,
        )
    return Options(
        prompts=options.prompts,
        provider=provider,
        replay=options.replay,
        limit=options.limit,
        at_once=options.at_once,
        steps=options.steps,
        out=options.out,
        folder=service.catalog.folder,
    )


def _write(path: Path, text: str) -> None:
    from embeddings.files import write_atomically

    try:
        write_atomically(path, text.encode("utf-8", "replace"))
    except OSError as error:
        raise CallerError(
            f"{str(path)!r} cannot be written ({error.strerror}); the report goes there; give another path"
        ) from error
